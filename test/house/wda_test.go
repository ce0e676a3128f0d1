package house_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// TestWDAGivesSameRefsAndOutcomes takes the same steps on a device that our agent drives and on one that WebDriverAgent drives: refs,
// outcomes and faults are the same.
func TestWDAGivesSameRefsAndOutcomes(t *testing.T) {
	t.Parallel()
	theSameThrough(t, "wda", in{"identifier": "controls-slider-volume", "to": "20%"}, in{"identifier": "controls-switch", "to": "on"})
}

// TestIDBGivesSameRefsAndOutcomes is that through idb_companion, which cannot set values.
func TestIDBGivesSameRefsAndOutcomes(t *testing.T) {
	t.Parallel()
	theSameThrough(t, "idb")
}

// theSameThrough takes steps on two devices, which two drivers drive, and compares what is told of them.
func theSameThrough(t *testing.T, driver string, values ...in) {
	open := func(driver string) *house.House {
		h := house.New(t, house.Options{WDA: driver == "wda"})
		h.Must("ann", "session_set_defaults", in{"driver": driver})
		h.Boot("ann", rig.Conformance)
		return h
	}
	ours, theirs := open("xctest"), open(driver)
	step := func(name string, input in) {
		a, b := told(ours.Call("ann", name, input)), told(theirs.Call("ann", name, input))
		if a != b {
			t.Errorf("%s %v:\n%s\nthrough %s:\n%s", name, input, a, driver, b)
		}
	}
	step("snapshot", nil)
	step("tap_element", in{"label": "Controls"})
	step("tap_element", in{"identifier": "controls-tap-button", "expect_change": true})
	step("double_tap", in{"identifier": "controls-tap-button"})
	for _, input := range values {
		step("set_value", input)
	}
	step("tap_element", in{"identifier": "controls-switch"})
	step("tap_element", in{"identifier": "nothing-there", "timeout_ms": 0})
	step("snapshot", nil)
	step("tap_element", in{"label": "Text Input"})
	step("type_text", in{"text": "lost"})
	step("fill", in{"identifier": "text-username-field", "text": "Ada"})
	step("type_text", in{"text": " Lovelace"})
	step("press_key", in{"key": "delete"})
	step("clear", in{"identifier": "text-username-field"})
	step("snapshot", nil)
	step("tap_element", in{"label": "Navigation"})
	step("tap_element", in{"identifier": "nav-alert-button"})
	step("tap_element", in{"identifier": "nav-alert-button", "timeout_ms": 0})
	step("snapshot", nil)
	step("alert", in{"accept": true})
	step("alert", in{"accept": true})
	step("swipe", in{"direction": "up"})
	step("rotate", in{"orientation": "landscape-left"})
	step("snapshot", nil)
	step("rotate", in{"orientation": "portrait"})
	step("press_button", in{"button": "home"})
	step("snapshot", nil)
	step("launch_app", in{"bundle_id": rig.Conformance})
	step("snapshot", nil)
}

// told is what an answer says, without what no two drivers have in common: times, and how something was done.
func told(e op.Envelope) string {
	if e.Error != nil {
		return fmt.Sprintf("%s, dispatched %q", e.Error.Code, e.Error.Dispatched)
	}
	var result struct {
		App, Screen, Outcome, Cover string
		Truncated                   int
		Target                      json.RawMessage
		Elements                    []struct {
			Ref, Type, Identifier, Label, Value, Placeholder string
			Frame                                            struct{ X, Y, W, H float64 }
			Enabled, Focused, Selected, Hittable             bool
		}
	}
	if err := json.Unmarshal(e.Result, &result); err != nil {
		return err.Error()
	}
	out, _ := json.MarshalIndent(result, "", " ")
	return string(out)
}

// TestWDAReconnectsAfterLostSession: a session that another client ended, and a server that somebody started again, are no news to a
// caller; an input is sent once.
func TestWDAReconnectsAfterLostSession(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{WDA: true})
	udid := h.Boot("ann", rig.Conformance)
	_, before := h.World.Inputs(udid, 0)
	for i, f := range []virtualxcode.Fault{
		{Name: flaw.WDASessionLost}, {Name: flaw.WDAPortGone, Set: map[string]string{"when": "before"}}, {Name: flaw.WDASessionLost, After: 4},
	} {
		if err := h.World.AddFault(f); err != nil {
			t.Fatal(err)
		}
		h.Must("ann", "tap_element", map[string]any{"identifier": "controls-tap-button", "expect_change": true})
		if _, now := h.World.Inputs(udid, 0); now != before+i+1 {
			t.Errorf("%s: %d taps of %d", f.Name, now-before, i+1)
		}
	}
}
