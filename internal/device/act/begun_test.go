package act_test

import (
	"slices"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
)

// timers has buttons that start what never stops, and one that does nothing.
const timers = `
start: one
state: {ticks: 0, left: 30, seconds: 0, high: false}
screens:
  one:
    title: Timers
    elements:
      - {text: "Ticks {ticks}", id: ticks}
      - {text: "{left} s left"}
      - {text: "{seconds} s", id: seconds}
      - {button: Fast, id: fast, do: [{every: {name: fast, seconds: 0.05, do: [{add: {ticks: 1}}]}}]}
      - {button: Tenth, id: tenth, do: [{every: {name: fast, seconds: 0.1, do: [{add: {ticks: 1}}]}}]}
      - {button: Second, id: second, do: [{every: {name: second, seconds: 1, do: [{add: {seconds: 1}}]}}]}
      - {button: Countdown, id: countdown, do: [{every: {name: down, seconds: 1, do: [{add: {left: -1}}]}}]}
      - {button: Jump, id: jump, do: [{every: {name: jump, seconds: 0.06, do: [{flip: high}]}}]}
      - {button: Halt, id: halt, do: [{stop: fast}, {stop: second}, {stop: down}, {stop: jump}]}
      - {button: Never, id: never}
      - {area: Ledge, id: ledge, height: 60, visible: {high: true}}
      - {image: Star, id: star}
`

// stands looks at the screen for so long that nothing on it can move and seem to stand still.
func (s *stand) stands(long time.Duration) {
	s.t.Helper()
	s.screen()
	_, err := s.Wait(s.t.Context(), act.Waiting{Condition: ui.IsVisible, Query: named("nothing"), Timeout: long})
	s.Must(err)
	s.screen()
}

// What stood still before a tap and never rests after it is the tap's effect; afterwards it moves by itself.
func TestTapThatStartsTimerIsChanged(t *testing.T) {
	for _, kind := range []string{"guarded", "plain"} {
		t.Run(kind, func(t *testing.T) {
			s := newStand(t)
			if kind == "plain" {
				s.Device = plain{s.Device, s.Device.(abilities)}
			}
			s.Install("com.example.timers", timers)
			for _, button := range []string{"fast", "tenth", "second", "countdown", "jump"} {
				t.Run(button, func(t *testing.T) {
					s.begin(t, "com.example.timers")
					s.stands(2 * time.Second)
					report, err := s.Tap(t.Context(), act.How{}, named(button))
					s.check(want{outcome: ui.Changed}, report, err)
					if !slices.Contains(report.Evidence, ui.EvidenceScreen) || len(report.Lines) == 0 {
						t.Errorf("got the evidence %q and the diff %q, want what began to move", report.Evidence, report.Lines)
					}
					for range 2 {
						s.Fault(*wrong(flaw.NoOpTap))
						report, err = s.Tap(t.Context(), act.How{}, named("never"))
						s.check(want{outcome: ui.Unchanged}, report, err)
					}
					report, err = s.Tap(t.Context(), act.How{}, named("halt"))
					s.Must(err)
					s.stands(2 * time.Second)
					report, err = s.Tap(t.Context(), act.How{}, named(button))
					s.check(want{outcome: ui.Changed}, report, err)
				})
			}
		})
	}
}

// What moves already is no effect of a tap, for a session that was not there when it began either. Who cannot know says so.
func TestTapIgnoresEarlierMovement(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.timers", timers)
	for _, button := range []string{"fast", "tenth", "second", "countdown", "jump"} {
		for _, after := range []time.Duration{0, 130, 260, 390, 520, 650, 780, 910} {
			t.Run(button, func(t *testing.T) {
				s.begin(t, "com.example.timers")
				s.stands(2 * time.Second)
				s.tap(button)
				_, err := s.Device.(device.Eyes).Observe(t.Context(), device.Wait{Min: after * time.Millisecond, Max: after * time.Millisecond})
				s.Must(err)
				s.Session = (&session.Store{}).Get("another") // that saw nothing of it
				s.Fault(*wrong(flaw.NoOpTap))
				report, err := s.Tap(t.Context(), act.How{}, named("never"))
				if s.Must(err); report.Outcome == ui.Changed {
					t.Errorf("after %s: got changed, want no effect of a tap that reached nothing: %q", after*time.Millisecond, report.Lines)
				}
				s.Fault(*wrong(flaw.NoOpTap))
				report, err = s.Tap(t.Context(), act.How{}, named("never"))
				s.check(want{outcome: ui.Unchanged}, report, err)
			})
		}
	}
}
