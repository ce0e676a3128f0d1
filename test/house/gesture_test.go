package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/driver/drivertest"
	"ios-agent/test/house"
)

// TestGesturePresets: scroll-up moves the finger, and so the content, up, as AXe's does.
func TestGesturePresets(t *testing.T) {
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
