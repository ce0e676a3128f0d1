package act_test

import (
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
)

// With a hardware keyboard no keyboard comes up; an agent with public means only does not tell what has the focus. A field that is
// named is typed into all the same, the report is true, and what a tap in vain leads to is told.
func TestTypingWorksWithoutVisibleFocus(t *testing.T) {
	for name, public := range map[string]bool{"hardware keyboard": false, "public means only": true} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.Install(heldApp, held)
			s.Driver.Start.PublicOnly = public
			s.Open()
			s.Device = s.Phone
			t.Run("a field", func(t *testing.T) {
				s.begin(t, heldApp)
				s.Fault(*always(wrong(flaw.HardwareKeyboard)))
				for field, text := range map[string]string{"name": "grace", "pin": "1234"} {
					report, err := s.Enter(t.Context(), act.How{}, named(field), act.Entry{Text: text})
					if err != nil || report.Outcome != ui.Changed {
						t.Errorf("%s: %s, %v", field, report.Outcome, err)
					}
				}
				report, err := s.Enter(t.Context(), act.How{}, named("name"), act.Entry{Text: "ada", Replace: true})
				if err != nil || report.Outcome != ui.Changed {
					t.Errorf("replaced: %s, %v", report.Outcome, err)
				}
				if got := s.truth("name"); got != "ada" {
					t.Errorf("the name is %q", got)
				}
				if got := s.truth("pin"); got != "1234" {
					t.Errorf("the pin is %q", got)
				}
			})
			t.Run("tapped in vain", func(t *testing.T) {
				s.begin(t, heldApp)
				s.Fault(*wrong(flaw.NoOpTap))
				_, err := s.Enter(t.Context(), act.How{}, named("name"), act.Entry{Text: "grace"})
				if f := fault.From(err); err == nil || f.Code != fault.NoFocus || f.Dispatched != fault.Dispatched {
					t.Errorf("%+v", f)
				}
			})
			t.Run("another field keeps the focus", func(t *testing.T) {
				s.begin(t, heldApp, "name")
				s.Fault(*wrong(flaw.NoOpTap))
				_, err := s.Enter(t.Context(), act.How{}, named("search"), act.Entry{Text: "x"})
				f := fault.From(err)
				if err == nil || f.Dispatched != fault.Dispatched || f.Code != fault.NoFocus && f.Code != fault.TextNotEntered {
					t.Errorf("%+v", f)
				}
				if got := s.truth("name"); len(got) > 1 { // who cannot see the focus types once into the wrong field, and not again
					t.Errorf("the other field holds %q", got)
				}
			})
		})
	}
}
