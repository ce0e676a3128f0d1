package act_test

import (
	"slices"
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// marquee has a picture that jumps up and down for ever, below what can be used.
const marquee = `
start: one
state: {light: dark, high: false, moves: false}
screens:
  one:
    title: Marquee
    elements:
      - {text: "It is {light}", id: light}
      - {button: On, id: "on", do: [{set: {light: bright}}]}
      - {button: "Off", id: "off", do: [{set: {light: dark}}]}
      - {button: Late, id: late, do: [{after: {seconds: 0.7, do: [{set: {light: dim}}]}}]}
      - {button: Move, id: move, do: [{every: {name: jump, seconds: 0.06, do: [{flip: high}]}}]}
      - {button: Halt, id: halt, do: [{stop: jump}]}
      - {area: Ledge, id: ledge, height: 60, visible: {high: true}}
      - {image: Star, id: star}
`

func TestTapIsJudgedOnRestlessScreen(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.marquee", marquee)
	for name, begin := range map[string]func(t *testing.T){
		"an indicator": func(t *testing.T) {
			s.begin(t, "com.example.marquee")
			s.Fault(*wrong(flaw.EndlessAnimation))
		},
		"a picture": func(t *testing.T) {
			s.begin(t, "com.example.marquee")
			_, err := s.Tap(t.Context(), act.How{}, named("move"))
			s.Must(err)
			s.Session = (&session.Store{}).Get("another") // that knows nothing of the motion
		},
	} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			took := s.took(func() {
				for _, step := range []struct{ button, line string }{
					{"on", `"It is dark" → "It is bright"`}, {"off", `"It is bright" → "It is dark"`},
					{"on", `"It is dark" → "It is bright"`}, {"off", `"It is bright" → "It is dark"`},
				} {
					report, err := s.Tap(t.Context(), act.How{}, named(step.button))
					s.check(want{outcome: ui.Changed, evidence: []string{ui.EvidenceScreen}, line: step.line}, report, err)
					if report.After.Settled || len(report.Lines) != 1 {
						t.Errorf("settled: %v, %q", report.After.Settled, report.Lines)
					}
				}
			})
			if took > 4*time.Second {
				t.Errorf("four steps took %s", took)
			}
			report, err := s.Tap(t.Context(), act.How{}, named("off"))
			s.check(want{outcome: ui.Unchanged}, report, err)
			if slices.Contains(report.Evidence, ui.EvidenceScreen) {
				t.Errorf("the evidence is %q: %q", report.Evidence, report.Lines)
			}
			report, err = s.Tap(t.Context(), act.How{}, named("late"))
			s.check(want{outcome: ui.Changed, line: `"It is dark" → "It is dim"`}, report, err)
		})
	}
}

// A screen that rests again is judged as any other.
func TestScreenSettlesAfterMovementStops(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.marquee", marquee)
	s.begin(t, "com.example.marquee")
	_, err := s.Tap(t.Context(), act.How{}, named("move"))
	s.Must(err)
	s.shows("still-moving")
	report, err := s.Tap(t.Context(), act.How{}, named("halt"))
	if s.Must(err); !report.After.Settled {
		t.Error("it rests, and is called moving")
	}
	report, err = s.Tap(t.Context(), act.How{}, named("on"))
	s.check(want{outcome: ui.Changed, line: `"It is dark" → "It is bright"`}, report, err)
	if !report.After.Settled {
		t.Error("it rests, and is called moving")
	}
}

// The caller may bound the settling.
func TestSettleTimeIsBoundedByCaller(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.marquee", marquee)
	for _, c := range []struct{ settle, atMost time.Duration }{{0, 100 * time.Millisecond}, {300 * time.Millisecond, 400 * time.Millisecond}} {
		s.begin(t, "com.example.marquee")
		s.screen()
		took := s.took(func() {
			report, err := s.Tap(t.Context(), act.How{Settle: &c.settle}, named("on"))
			s.check(want{outcome: ui.Changed}, report, err)
		})
		if took > c.atMost {
			t.Errorf("bounded by %s it took %s", c.settle, took)
		}
		_, err := s.Tap(t.Context(), act.How{Settle: &c.settle}, named("move"))
		s.Must(err)
		took = s.took(func() {
			report, err := s.Tap(t.Context(), act.How{Settle: &c.settle}, named("off"))
			s.check(want{outcome: ui.Changed}, report, err)
			if report.After.Settled {
				t.Error("what moves is called settled")
			}
		})
		if took > c.settle+c.atMost {
			t.Errorf("moving and bounded by %s it took %s", c.settle, took)
		}
	}
	s.begin(t, rig.Conformance, "Navigation")
	var report act.Report
	var err error
	bound := 200 * time.Millisecond
	s.took(func() { report, err = s.Tap(t.Context(), act.How{Settle: &bound}, named("nav-sheet-button")) })
	s.check(want{outcome: ui.Changed}, report, err)
	if report.After.Settled {
		t.Error("a sheet on its way is called settled")
	}
}
