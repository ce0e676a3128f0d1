package desktop_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ui"
)

// TestActionBehindModalDialogIsRefused: no action gets through a dialog that keeps input from its window: a program that waits for the
// dialog inside of the press before would hang for good. The answer says what lies over it, and what to use instead.
func TestActionBehindModalDialogIsRefused(t *testing.T) {
	r, _ := crack(t)
	button, field, slider := r.id("Action"), r.id("Name"), r.id("Volume")
	r.app.Ask("Save changes?", "Save", true, ui.Rect{X: 150, Y: 500, W: 200, H: 100})
	text, down := "Kim", "down"
	for _, in := range []desktop.Request{
		{Action: desktop.Click, ID: &button}, {Action: desktop.Type, ID: &field, Text: &text},
		{Action: desktop.SetValue, ID: &slider, Value: json.RawMessage("0.8")}, {Action: desktop.Scroll, ID: &button, Direction: &down},
		{Action: desktop.Drag, ID: &button, ToID: &slider},
	} {
		in.Session = r.s.ID
		got, err := r.Act(t.Context(), r.Call, in)
		if err != nil || got.Success || !strings.Contains(got.Error, `is covered by dialog "Save changes?"`) ||
			!strings.Contains(got.Advice, `button "Save" `+r.id("Save")) {
			t.Errorf("%s: got %+v, %v, want what covers it and its button", in.Action, got, err)
		}
	}
	if did := r.app.Did(); len(did) > 0 {
		t.Errorf("%q reached the app", did)
	}
	save := r.id("Save")
	for _, id := range []string{save, button} { // the dialog's own, and what lay behind it
		got, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
		if err != nil || !got.Success {
			t.Errorf("%s: got %+v, %v, want it pressed", id, got, err)
		}
	}
}

// TestSliderRefusesValueOutsideRange: a number may come as a text; one outside of the range is refused, and not the nearest taken instead.
func TestSliderRefusesValueOutsideRange(t *testing.T) {
	r, _ := crack(t)
	for value, want := range map[string]string{`0.25`: "0.25", `"0.75"`: "0.75", `" 1 "`: "1", `0`: "0"} {
		got, err := r.act("Volume", desktop.Request{Action: desktop.SetValue, Value: json.RawMessage(value)})
		if err != nil || !got.Success || got.After == nil || *got.After.Value != want {
			t.Errorf("%s: got %+v, %v, want %s", value, got.Response, err, want)
		}
	}
	for _, value := range []string{`7`, `"7"`, `-1`} {
		got, err := r.act("Volume", desktop.Request{Action: desktop.SetValue, Value: json.RawMessage(value)})
		if err != nil || got.Success || !strings.Contains(got.Error, "is outside of what the element takes: 0 to 1") {
			t.Errorf("%s: got %+v, %v, want that it is outside of the range", value, got.Response, err)
		}
	}
}

// TestTreeShowsSelectedState: trees say what diffs say.
func TestTreeShowsSelectedState(t *testing.T) {
	r, _ := crack(t)
	box := r.id("Enabled")
	if _, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &box}); err != nil {
		t.Fatal(err)
	}
	for _, verbose := range []bool{false, true} {
		pick := desktop.Pick{Text: "Enabled", Verbose: verbose}
		got, err := r.Look(t.Context(), r.Call, desktopops.Looking{Session: r.s.ID, Tree: true, Pick: pick})
		if err != nil || !strings.Contains(got.Text, "selected") {
			t.Errorf("verbose %v: got %s, %v, want it selected", verbose, got.Text, err)
		}
	}
}

// TestUnknownOutcomeSuggestsDesktopLook: who does not know what came of an action looks at the program, not at a phone.
func TestUnknownOutcomeSuggestsDesktopLook(t *testing.T) {
	r, desk := crack(t)
	id := r.id("Action")
	desk.press = func() error {
		desk.look = func() error { return fmt.Errorf("the bus is gone") }
		return nil
	}
	_, err := r.Act(t.Context(), r.Call, desktop.Request{Session: r.s.ID, Action: desktop.Click, ID: &id})
	refused(t, "act", err, fault.OutcomeUnknown, hint.Do("debug_ui", "sessionId", r.s.ID))
}
