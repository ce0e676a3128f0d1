package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestScrollUpPresetMovesFingerUp: scroll-up moves the finger, and so the content, up, as AXe's does.
func TestScrollUpPresetMovesFingerUp(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	h.Must("a", "tap_element", map[string]string{"label": "Navigation"})
	for _, c := range []struct{ preset, outcome string }{{"scroll-down", "unchanged"}, {"scroll-up", "changed"}, {"scroll-down", "changed"}} {
		e := h.Must("a", "gesture", map[string]string{"preset": c.preset, "simulatorId": udid})
		if !strings.Contains(e.Stdout, "→ "+c.outcome) {
			t.Errorf("%s: %s", c.preset, e.Stdout)
		}
	}
}

// TestGesturesAcceptPointsOnScreen: a double tap, a drag and a pinch take a point instead of an element, and only one that is on the
// screen.
func TestGesturesAcceptPointsOnScreen(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	h.Must("a", "tap_element", map[string]string{"label": "Navigation"})
	h.Must("a", "tap_element", map[string]string{"identifier": "nav-moving-button"})
	at := func(id string) ui.Point {
		return house.Result[struct{ Frame ui.Rect }](h, h.Must("a", "get_element", map[string]string{"identifier": id})).Frame.Centre()
	}
	area, lemon, basket := at("gesture-pinch-area"), at("drag-lemon"), at("drop-basket")
	h.Must("a", "double_tap", map[string]any{"x": area.X, "y": area.Y})
	h.Must("a", "pinch", map[string]any{"x": area.X, "y": area.Y, "scale": 2})
	h.Must("a", "drag", map[string]any{"from_x": lemon.X, "from_y": lemon.Y, "to_x": basket.X, "to_y": basket.Y})
	seen := h.Must("a", "snapshot", nil).Stdout
	for _, want := range []string{"Doubles: 1, pinches: 1, scale 2", "Dropped: 1"} {
		if !strings.Contains(seen, want) {
			t.Errorf("it does not show %q:\n%s", want, seen)
		}
	}
	_, before := h.World.Inputs(udid, 0)
	for name, input := range map[string]map[string]any{
		"double_tap": {"x": 5000, "y": 10}, "pinch": {"x": 10, "y": 5000, "scale": 2},
		"drag": {"from_x": 5000, "from_y": 10, "to_x": 10, "to_y": 10},
	} {
		for _, leave := range []string{"", "y", "from_y"} {
			delete(input, leave)
			if e := h.Call("a", name, input); e.Error == nil || e.Error.Code != fault.InvalidInput {
				t.Errorf("%s %v: %s", name, input, e.Text())
			}
		}
	}
	if _, after := h.World.Inputs(udid, 0); after != before {
		t.Errorf("refused gestures sent %d inputs", after-before)
	}
}
