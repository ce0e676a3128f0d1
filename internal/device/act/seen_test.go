package act_test

import (
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// What a step sees after an input of its own is no news: only the screens before its first input are told.
func TestSeenReportsOnlyScreensBeforeFirstInput(t *testing.T) {
	s := newStand(t)
	tap := func(how act.How, name string) func() (act.Report, error) {
		return func() (act.Report, error) { return s.Tap(t.Context(), how, named(name)) }
	}
	scroll := func() (act.Report, error) { return s.ScrollTo(t.Context(), named("extras-crash-soon"), act.Scroll{}) }
	for name, c := range map[string]struct {
		do   func() (act.Report, error)
		code fault.Code
	}{
		"tap":         {do: tap(act.How{}, "Text Input")},
		"scroll, tap": {do: tap(act.How{Scroll: true}, "extras-crash-soon"), code: fault.AppEnded},
		"scroll to":   {do: scroll},
		"not found":   {do: tap(act.How{NoWait: true}, "no"), code: fault.ElementNotFound},
		"waited for":  {do: tap(act.How{Timeout: time.Second}, "no"), code: fault.ElementNotFound},
	} {
		s.begin(t, rig.Conformance, "Navigation", "nav-extras-button")
		before := ""
		s.Must(s.Look(t.Context(), func(screen *ui.Screen, _ *ui.Refs) { before = screen.Hash() }))
		told := 0
		s.Seen = func(screen *ui.Screen) {
			if told++; screen.Hash() != before {
				t.Errorf("%s: a screen after an input was told", name)
			}
		}
		_, err := c.do()
		if s.Seen = nil; told != 1 || c.code != "" && !fault.Is(err, c.code) || c.code == "" && err != nil {
			t.Errorf("%s: told %d times, %v", name, told, err)
		}
	}
}
