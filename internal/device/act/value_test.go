package act_test

import (
	"context"
	"ios-agent/internal/virtualxcode/flaw"
	"slices"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

func TestSetValueSetsEachControlKind(t *testing.T) {
	setting := func(control, value string) func(context.Context, *stand) (act.Report, error) {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return s.SetValue(ctx, act.How{Scroll: true}, named(control), value)
		}
	}
	wheel := func(value string) func(context.Context, *stand) (act.Report, error) {
		return func(ctx context.Context, s *stand) (act.Report, error) {
			return s.SetValue(ctx, act.How{Scroll: true}, ui.Query{Type: "PickerWheel"}, value)
		}
	}
	const wifi, size, quantity = "controls-toggle-wifi", "controls-picker-size", "controls-stepper-quantity"
	perform(t, []step{
		{name: "a switch", do: setting(wifi, "on"), want: want{outcome: ui.Changed, method: ui.AtKnob, line: `"Off" → "On"`}},
		{name: "a switch that has the value", do: setting(wifi, "off"), want: want{outcome: ui.Unchanged, method: "none: it has that value"}},
		{name: "a switch and a word it does not know", do: setting(wifi, "half"),
			want: want{code: fault.InvalidInput, says: `on or off, not "half"`}},
		{name: "a switch that ignores the tap", do: setting(wifi, "1"), fault: wrong(flaw.SwitchIgnoresTap), want: want{outcome: ui.Unchanged}},
		{name: "a slider", do: setting("controls-slider-volume", "80%"), want: want{method: "adjust", line: "Volume: 80"}},
		{name: "a slider by number", do: setting("controls-slider-volume", "80"),
			want: want{method: "adjust", line: "Volume: 80", note: "80 % of its range; its unit is not exposed"}},
		{name: "a slider by a share", do: setting("controls-slider-volume", "0.3"),
			want: want{method: "adjust", line: "Volume: 30", note: "30 % of its range"}},
		{name: "a slider to one percent", do: setting("controls-slider-volume", "1"), want: want{method: "adjust", line: `→ "Volume: 1"`}},
		{name: "a slider too far", do: setting("controls-slider-volume", "120"), want: want{code: fault.InvalidInput, says: "0 to 100 percent"}},
		{name: "a slider and a word", do: setting("controls-slider-volume", "loud"), want: want{code: fault.InvalidInput, says: `not "loud"`}},
		{name: "a stepper", do: setting(quantity, "4"), want: want{method: "arrows", line: `Quantity: 1" → "Quantity: 4"`}},
		{name: "a stepper, down", do: setting(quantity, "0"), want: want{method: "arrows", line: `Quantity: 1" → "Quantity: 0"`}},
		{name: "a stepper, too far", do: setting(quantity, "21"),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: "is at 20 after 100 steps, not at 21"}},
		{name: "a stepper and no number", do: setting(quantity, "many"), want: want{code: fault.InvalidInput, says: "takes a number"}},
		{name: "a segment", do: setting(size, "Large"), want: want{method: "segment", line: `"Medium" → "Large"`}},
		{name: "no such segment", do: setting(size, "Huge"), want: want{code: fault.ElementNotFound, says: `it has "Small", "Medium", "Large"`}},
		{name: "a wheel", way: []string{"Navigation", "nav-extras-button"}, do: wheel("Blue"),
			want: want{method: "adjust", shows: "Colour: Blue"}},
		{name: "a wheel by its picker", way: []string{"Navigation", "nav-extras-button"}, do: setting("extras-wheel", "Blue"),
			want: want{method: "adjust", shows: "Colour: Blue"}},
		{name: "a wheel and a value it has not", way: []string{"Navigation", "nav-extras-button"}, do: wheel("Brown"),
			want: want{code: fault.ElementNotFound, says: `no row "Brown"`}},
		{name: "a field", way: []string{"Text Input"}, do: setting("text-username-field", "ada"),
			want: want{method: "keyboard", line: "Username: ada"}},
		{name: "a button", do: setting("controls-tap-button", "1"), want: want{code: fault.Unsupported, says: "has no value to set"}},
	})
}

func TestAlertsAreReadAndAnswered(t *testing.T) {
	s := newStand(t)
	for _, c := range []struct {
		name    string
		way     []string
		answer  string
		buttons []string // of the alert that is found; nil when there is none
		want    want
	}{
		{name: "none", answer: "", want: want{outcome: ui.Unchanged, method: "alert"}},
		{name: "read", way: []string{"nav-alert-button"}, buttons: []string{"OK"}, want: want{outcome: ui.Unchanged}},
		{name: "accepted", way: []string{"nav-alert-button"}, answer: "accept", buttons: []string{"OK"},
			want: want{outcome: ui.Changed, shows: "Alert confirmed"}},
		{name: "dismissed", way: []string{"nav-confirm-button"}, answer: "dismiss", buttons: []string{"Delete", "Cancel"},
			want: want{shows: "Cancelled"}},
		{name: "by a button", way: []string{"nav-confirm-button"}, answer: "Delete", buttons: []string{"Delete", "Cancel"},
			want: want{shows: "Deleted"}},
		{name: "by a button it has not", way: []string{"nav-confirm-button"}, answer: "Nope", want: want{code: fault.ElementNotFound}},
		{name: "of the system", way: []string{"nav-permissions-button", "permissions-location"}, answer: "Allow Once",
			buttons: []string{"Allow Once", "Allow While Using App", "Don’t Allow"}, want: want{shows: "Last answer: once"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.begin(t, rig.Conformance, append([]string{"Navigation"}, c.way...)...)
			report, alert, err := s.Alert(t.Context(), c.answer)
			s.check(c.want, report, err)
			if got := buttonsOf(alert); !slices.Equal(got, c.buttons) {
				t.Errorf("buttons %q, want %q", got, c.buttons)
			}
		})
	}
}

func buttonsOf(a *device.Alert) []string {
	if a == nil {
		return nil
	}
	return a.Buttons
}

// An alert that comes with the app is in the picture, in the way, and answered.
func TestAlertAtLaunchCoversAppUntilAnswered(t *testing.T) {
	s := newStand(t)
	s.Fault(*wrong(flaw.AlertAtLaunch))
	s.Launch(rig.Shop)
	s.shows(`modal:"“Shop” Would Like to Send You Notifications"`, `button "Allow"`, "[covered]")
	_, err := s.Tap(t.Context(), act.How{NoWait: true}, named("email-field"))
	s.check(want{code: fault.ElementUnhittable}, act.Report{}, err)
	report, _, err := s.Alert(t.Context(), "accept")
	s.check(want{outcome: ui.Changed}, report, err)
	report, err = s.Enter(t.Context(), act.How{}, named("email-field"), act.Entry{Text: "ada"})
	s.check(want{line: `"" → "ada"`}, report, err)

	s.Fault(*wrong(flaw.AlertAtLaunch, "kind", "location"))
	s.Launch(rig.Shop)
	_, _, err = s.Alert(t.Context(), "Perhaps")
	s.check(want{code: fault.ElementNotFound}, act.Report{}, err)
	report, _, err = s.Alert(t.Context(), "Allow Once")
	s.check(want{outcome: ui.Changed}, report, err)
	_, alert, err := s.Alert(t.Context(), "")
	if s.Must(err); alert != nil {
		t.Errorf("there is still %+v", alert)
	}
	s.tap("guest-button")
}
