package house_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

const (
	shop        = "com.iosagent.shop"
	springboard = "com.apple.springboard"
)

// snapshot is the screen as a session is told.
func snapshot(t *testing.T, h *house.House, session string) ui.Snapshot {
	t.Helper()
	return house.Result[ui.Snapshot](h, h.Must(session, "snapshot", nil))
}

// refOf is the ref of an element with an identifier.
func refOf(t *testing.T, s ui.Snapshot, identifier string) string {
	t.Helper()
	for _, e := range s.Elements {
		if e.Identifier == identifier {
			return e.Ref
		}
	}
	t.Fatalf("%s is not on %s of %s", identifier, s.Screen, s.App)
	return ""
}

// TestSnapshotShowsAppInFront: whatever brings another app to the front, the outline is of what the device shows, and a ref of the app
// behind sends nothing.
func TestSnapshotShowsAppInFront(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		switchTo func(h *house.House, udid string)
		front    string
	}{
		"a link": {func(h *house.House, udid string) {
			h.Must("ann", "open", map[string]any{"url": "shop://cart"})
		}, shop},
		"another program's launch": {func(h *house.House, udid string) {
			launch := virtualxcode.Call{Args: []string{"launch", udid, shop}}
			if code, err := h.Virtual.Run(t.Context(), "simctl", launch.Complete()); err != nil || code != 0 {
				t.Fatal(code, err)
			}
		}, shop},
		"the home button": {func(h *house.House, _ string) {
			h.Must("ann", "press_button", map[string]any{"button": "home"})
		}, springboard},
		"an app that captures its console": {func(h *house.House, udid string) {
			h.Must("ann", "start_sim_log_cap", map[string]any{"simulatorId": udid, "bundleId": shop, "captureConsole": true})
		}, shop},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.New(t)
			udid := h.Boot("ann", rig.Conformance)
			h.Must("ann", "tap_element", map[string]any{"label": "Navigation"})
			ref := refOf(t, snapshot(t, h, "ann"), "nav-crashes-button")
			c.switchTo(h, udid)
			before := h.State()
			e := h.Call("ann", "tap_element", map[string]any{"ref": ref})
			if e.Error == nil || e.Error.Code != fault.AppNotInFront || e.Error.Dispatched != fault.NotDispatched || h.State() != before {
				t.Errorf("a tap on the app behind: %+v", e.Error)
			}
			if e.Error != nil && !strings.Contains(e.Error.Message, c.front) {
				t.Errorf("it does not say what is in front: %s", e.Error.Message)
			}
			if now := snapshot(t, h, "ann"); now.App != c.front || len(now.Elements) < 2 {
				t.Errorf("%s is shown with %d elements; %s is in front", now.App, len(now.Elements), c.front)
			}
		})
	}
}

// TestCrashedAppIsReportedOnce: after a crash the home screen is shown, with a word of the end, once.
func TestCrashedAppIsReportedOnce(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ann", rig.Conformance)
	h.Must("ann", "tap_element", map[string]any{"label": "Navigation"})
	h.Must("ann", "tap_element", map[string]any{"identifier": "nav-crashes-button"})
	e := h.Call("ann", "tap_element", map[string]any{"identifier": "crash-fatal"})
	if e.Error == nil || e.Error.Code != fault.AppEnded || !strings.Contains(e.Error.Message, "crashed") {
		t.Fatalf("the tap that crashed the app: %+v", e.Error)
	}
	first := snapshot(t, h, "ann")
	if first.App != springboard || len(first.Elements) < 2 || !strings.Contains(first.Ended, rig.Conformance+" has ended: it crashed") {
		raw, _ := json.Marshal(first)
		t.Errorf("after the crash: %.300s", raw)
	}
	if again := snapshot(t, h, "ann"); again.App != springboard || again.Ended != "" {
		t.Errorf("it is told again: %q", again.Ended)
	}
}

// TestDeepElementsCanBeReadAndTapped: containers without a name do not count. What is deeper than usual can be read and acted on; what was
// left out is said when something is not found.
func TestDeepElementsCanBeReadAndTapped(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ann", rig.Conformance)
	nest := func(called string) {
		deep := virtualxcode.Fault{Name: "deep-tree", Set: map[string]string{"depth": "80", "called": called}, Times: virtualxcode.Forever}
		if err := h.Virtual.AddFault(t.Context(), deep); err != nil {
			t.Fatal(err)
		}
	}
	nest("nothing")
	h.Must("ann", "tap_element", map[string]any{"label": "Navigation"})
	if err := h.Virtual.ClearFaults(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	nest("level")
	e := h.Call("ann", "tap_element", map[string]any{"identifier": "nav-crashes-button", "no_wait": true})
	if e.Error == nil || !strings.Contains(e.Error.Message, "too deep") || !strings.Contains(e.Error.Hint, "--max-depth") {
		t.Errorf("not found on a tree that was cut: %+v", e.Error)
	}
	h.Must("ann", "snapshot", map[string]any{"max_depth": 400})
	h.Must("ann", "tap_element", map[string]any{"identifier": "nav-crashes-button"})
}
