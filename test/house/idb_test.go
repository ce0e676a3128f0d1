package house_test

import (
	"testing"

	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// TestTheSameThroughIDB takes the same steps on a device that our agent drives and on one that idb_companion drives: refs, outcomes and
// faults are the same, but for what idb cannot do.
func TestTheSameThroughIDB(t *testing.T) {
	t.Parallel()
	type in = map[string]any
	open := func(driver string) *house.House {
		h := house.New(t, house.Options{})
		h.Must("ann", "session_set_defaults", in{"driver": driver})
		h.Boot("ann", rig.Conformance)
		return h
	}
	ours, theirs := open("xctest"), open("idb")
	for _, s := range []struct {
		name  string
		input in
	}{
		{"snapshot", nil},
		{"tap_element", in{"label": "Controls"}},
		{"tap_element", in{"identifier": "controls-tap-button", "expect_change": true}},
		{"double_tap", in{"identifier": "controls-tap-button"}},
		{"tap_element", in{"identifier": "controls-switch"}},
		{"tap_element", in{"identifier": "nothing-there", "timeout_ms": 0}},
		{"snapshot", nil},
		{"tap_element", in{"label": "Text Input"}},
		{"type_text", in{"text": "lost"}},
		{"fill", in{"identifier": "text-username-field", "text": "Ada"}},
		{"type_text", in{"text": " Lovelace"}},
		{"press_key", in{"key": "delete"}},
		{"clear", in{"identifier": "text-username-field"}},
		{"snapshot", nil},
		{"tap_element", in{"label": "Navigation"}},
		{"tap_element", in{"identifier": "nav-alert-button"}},
		{"tap_element", in{"identifier": "nav-alert-button", "timeout_ms": 0}},
		{"snapshot", nil},
		{"alert", in{"accept": true}},
		{"alert", in{"accept": true}},
		{"swipe", in{"direction": "up"}},
		{"rotate", in{"orientation": "landscape-left"}},
		{"snapshot", nil},
		{"rotate", in{"orientation": "portrait"}},
		{"press_button", in{"button": "home"}},
		{"snapshot", nil},
		{"launch_app", in{"bundle_id": rig.Conformance}},
		{"snapshot", nil},
	} {
		a, b := told(ours.Call("ann", s.name, s.input)), told(theirs.Call("ann", s.name, s.input))
		if a != b {
			t.Errorf("%s %v:\n%s\nthrough idb_companion:\n%s", s.name, s.input, a, b)
		}
	}
}
