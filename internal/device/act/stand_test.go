package act_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// stand is a session on a virtual phone, inside this process.
type stand struct {
	*rig.Rig
	act.Step
	t *testing.T
}

func newStand(t *testing.T) *stand {
	t.Helper()
	t.Parallel()
	r := rig.New(t)
	return &stand{Rig: r, Step: act.Step{Device: r.Phone, Session: (&session.Store{}).Get("test")}, t: t}
}

// begin launches an app afresh for a case, with a session that has seen nothing, and taps its way to a screen.
func (s *stand) begin(t *testing.T, app string, way ...string) {
	t.Helper()
	s.t = t
	s.In(t).Calm()
	s.Session = (&session.Store{}).Get(t.Name())
	s.Launch(app)
	for _, name := range way {
		s.tap(name)
	}
}

// tap taps what has a name and must change something.
func (s *stand) tap(name string) act.Report {
	s.t.Helper()
	report, err := s.Tap(s.t.Context(), act.How{}, named(name))
	if err != nil || report.Outcome != ui.Changed {
		s.t.Fatalf("tap %q: %s, %v\n%s", name, report.Outcome, err, s.screen())
	}
	return report
}

// screen is what a session sees.
func (s *stand) screen() (shown string) {
	s.t.Helper()
	s.Must(s.Look(s.t.Context(), func(screen *ui.Screen, refs *ui.Refs) {
		shown = outline.Of(screen, outline.Choice{}, s.Info.UDID, refs)
	}))
	return shown
}

// shows fails unless all texts are on the screen.
func (s *stand) shows(texts ...string) {
	s.t.Helper()
	seen := s.screen()
	for _, text := range texts {
		if !strings.Contains(seen, text) {
			s.t.Errorf("%q is not on the screen:\n%s", text, seen)
		}
	}
}

// ref is what this session calls an element.
func (s *stand) ref(name string) string {
	s.t.Helper()
	ref := ""
	s.Must(s.Look(s.t.Context(), func(screen *ui.Screen, refs *ui.Refs) {
		n, err := refs.Find(named(name), s.Info.UDID, screen)
		s.Must(err)
		ref = "@" + refs.Name(s.Info.UDID, screen, n)
	}))
	return ref
}

// took is how much of the world's time something takes.
func (s *stand) took(do func()) time.Duration {
	began := s.World.Now()
	do()
	return s.World.Now().Sub(began)
}

// named is an identifier, or else a label.
func named(name string) ui.Query { return ui.Query{Name: name} }

// want is what must come of a step. Empty fields are not looked at, but a step without a code must work.
type want struct {
	outcome  ui.Outcome
	evidence []string
	method   string
	line     string // in the diff
	doubt    string // in what is said of another cause
	note     string // in what is said of how it was judged
	shows    string // on the screen afterwards

	code       fault.Code
	dispatched fault.Dispatch // no, unless something else is said
	says       string         // in the message or the hint
}

// step is one row of a table: how to get to a screen, what goes wrong there, what is done, and what must come of it.
type step struct {
	name  string
	app   string // Conformance, unless something else is said
	way   []string
	fault *virtualxcode.Fault
	do    func(ctx context.Context, s *stand) (act.Report, error)
	want  want
}

// plain is a phone that guards no inputs and compares no looks, as one of a driver without an agent.
type plain struct {
	device.Device
	abilities
}

type abilities interface {
	device.Eyes
	device.Touch
	device.Gestures
	device.Adjust
	device.Keyboard
	device.Alerts
	device.Rotation
	device.Buttons
	device.Apps
	device.Running
	device.EndReporter
}

func (p plain) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	screen, err := p.abilities.Observe(ctx, w)
	if err == nil {
		screen.Digest = ""
	}
	return screen, err
}

// perform runs a table on one phone that guards inputs, and on one that does not.
func perform(t *testing.T, steps []step) {
	t.Run("guarded", func(t *testing.T) { performOn(newStand(t), steps) })
	t.Run("plain", func(t *testing.T) {
		s := newStand(t)
		s.Device = plain{s.Device, s.Device.(abilities)}
		performOn(s, steps)
	})
}

func performOn(s *stand, steps []step) {
	t := s.t
	for _, c := range steps {
		t.Run(c.name, func(t *testing.T) {
			s.begin(t, cmp.Or(c.app, rig.Conformance), c.way...)
			if c.fault != nil {
				s.Fault(*c.fault)
			}
			report, err := c.do(t.Context(), s)
			s.check(c.want, report, err)
		})
	}
}

func (s *stand) check(w want, report act.Report, err error) {
	s.t.Helper()
	f := fault.From(err)
	switch {
	case w.code == "" && err != nil:
		s.t.Fatalf("%s: %v (%s)", f.Code, err, f.Hint)
	case w.code != "":
		if err == nil || f.Code != w.code || f.Dispatched != cmp.Or(w.dispatched, fault.NotDispatched) ||
			!strings.Contains(f.Message+"\n"+f.Hint, w.says) {
			s.t.Fatalf("got %+v, want %+v", f, w)
		}
		return
	}
	diff := strings.Join(report.Lines, "\n")
	if w.outcome != "" && report.Outcome != w.outcome || w.evidence != nil && !slices.Equal(report.Evidence, w.evidence) ||
		w.method != "" && report.Method != w.method || !strings.Contains(diff, w.line) ||
		!strings.Contains(report.Doubt, w.doubt) || !strings.Contains(report.Note, w.note) {
		s.t.Errorf("%s by %q on %q, %q %q:\n%s\nwant %+v", report.Outcome, report.Method, report.Evidence, report.Doubt, report.Note, diff, w)
	}
	if w.shows != "" {
		s.shows(w.shows)
	}
}

// wrong is a fault that happens at the next occasion; settings are pairs of name and value.
func wrong(name string, settings ...string) *virtualxcode.Fault {
	f := &virtualxcode.Fault{Name: name, Set: map[string]string{}}
	for i := 0; i+1 < len(settings); i += 2 {
		f.Set[settings[i]] = settings[i+1]
	}
	return f
}

// always is a fault that happens at every occasion.
func always(f *virtualxcode.Fault) *virtualxcode.Fault {
	f.Times = flaw.Forever
	return f
}
