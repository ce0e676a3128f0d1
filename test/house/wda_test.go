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

// TestTheSameThroughWDA takes the same steps on a device that our agent drives and on one that WebDriverAgent drives: refs, outcomes
// and faults are the same.
func TestTheSameThroughWDA(t *testing.T) {
	t.Parallel()
	type in = map[string]any
	open := func(o house.Options) *house.House {
		h := house.New(t, o)
		h.Boot("ann", rig.Conformance)
		return h
	}
	ours, theirs := open(house.Options{}), open(house.Options{WDA: true})
	for _, s := range []struct {
		name  string
		input in
	}{
		{"snapshot", nil},
		{"tap_element", in{"label": "Controls"}},
		{"tap_element", in{"identifier": "controls-tap-button", "expect_change": true}},
		{"double_tap", in{"identifier": "controls-tap-button"}},
		{"set_value", in{"identifier": "controls-slider-volume", "to": "20%"}},
		{"set_value", in{"identifier": "controls-switch", "to": "on"}},
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
			t.Errorf("%s %v:\n%s\nthrough WebDriverAgent:\n%s", s.name, s.input, a, b)
		}
	}
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

// TestWDAIsFoundAgain: a session that another client ended, and a server that somebody started again, are no news to a caller; an input
// is sent once.
func TestWDAIsFoundAgain(t *testing.T) {
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
