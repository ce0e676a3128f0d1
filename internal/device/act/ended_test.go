package act_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// leaver is a device whose app ends, and that knows how.
type leaver struct {
	*watched
	end device.End
}

func (l *leaver) Ended(context.Context, string, time.Time) (device.End, error) { return l.end, nil }

// TestAppExitCountsAsEffect: an app that ends by itself has done what the input was for; the answer says how it ended and what it
// printed last. A crash stays a fault.
func TestAppExitCountsAsEffect(t *testing.T) {
	for name, c := range map[string]struct {
		end device.End
		bad bool
	}{
		"by itself": {end: device.End{Own: true, Reason: "it left with exit code 0", Logs: []string{"saved"}}},
		"crash":     {end: device.End{Reason: "it crashed", Logs: []string{"trap"}}, bad: true},
	} {
		w := &leaver{newWatched(), c.end}
		w.React = func(string) { w.see = func(s *ui.Screen) *ui.Screen { return ui.NewScreen(s.App, "not_running", nil) } }
		s := w.step()
		s.Device = w
		report, err := s.Tap(t.Context(), act.How{}, named("press"))
		if c.bad {
			f := fault.From(err)
			if !fault.Is(err, fault.AppEnded) || !strings.Contains(f.Message, "it crashed") || f.Details["last_log_lines"] == nil {
				t.Errorf("%s: got %+v and %v, want %s that says why", name, report, err, fault.AppEnded)
			}
			continue
		}
		if err != nil || report.Outcome != ui.Changed || report.Ended == nil || report.Ended.How != c.end.Reason || report.After == nil {
			t.Fatalf("%s: got %+v and %v, want changed and how it ended", name, report, err)
		}
		if said := report.Ended.Text(); !strings.Contains(said, "ended: it left with exit code 0") || !strings.Contains(said, `"saved"`) {
			t.Errorf("%s: got %q, want how it ended and what it printed", name, said)
		}
	}
}
