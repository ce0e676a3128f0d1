package steplines_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
)

const shop = "com.iosagent.shop"

// talking is a catalogue of one operation on a device, whose app says what the test wants meanwhile.
type talking struct {
	*op.Catalogue
	store  *telemetry.Store
	during func()
}

func newTalking(t *testing.T) *talking {
	store := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db")})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &talking{store: store}
	did := steps.New(steps.Options{Line: steplines.Line})
	lines := steplines.New(steplines.Options{Store: store, Sessions: session.NewStore(session.Options{})})
	do := func(_ context.Context, c *op.Call, _ struct{}) (struct{}, error) {
		c.Device = &op.Device{UDID: "U"}
		c.Note(steplines.Launched(shop))
		if !c.Hints.Has(op.ReadOnly) {
			c.Act()
		}
		if w.during != nil {
			w.during()
		}
		return struct{}{}, nil
	}
	show := func(ctx context.Context, c *op.Call, in struct{}) (struct{}, error) {
		c.Note(steplines.Shown{})
		return do(ctx, c, in)
	}
	w.Catalogue = op.NewCatalogue([]op.Op{
		op.New(op.Spec{Name: "show", Groups: []string{"x"}, Summary: "Show", Hints: op.ReadOnly}, show),
		op.New(op.Spec{Name: "act", Groups: []string{"x"}, Summary: "Act"}, do),
		op.New(op.Spec{Name: "look", Groups: []string{"x"}, Summary: "Look", Hints: op.ReadOnly}, do),
	}, op.Options{Observers: []op.Observer{lines, did}})
	return w
}

// say adds lines of the shop on device U; change makes them others.
func (w *talking) say(change func(*telemetry.Entry), messages ...string) {
	for _, text := range messages {
		e := telemetry.Entry{Device: "U", App: shop, Process: "Shop", Source: telemetry.Simulator, Level: telemetry.Error, Message: text}
		if change != nil {
			change(&e)
		}
		w.store.Add(e)
	}
}

// call makes a call, and gives what its answer tells of the log.
func (w *talking) call(t *testing.T, name string, during func()) string {
	t.Helper()
	w.during = during
	e := w.Run(t.Context(), name, op.Call{Session: "ada"}, nil)
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	var lines []string
	for _, n := range e.Meta.Notices {
		lines = append(lines, n.String())
	}
	return strings.Join(lines, "\n")
}

// TestAnswerCountsErrorsOfItsApp: those that came during the step, and no others.
func TestAnswerCountsErrorsOfItsApp(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*telemetry.Entry)
		said   []string
		want   string
	}{
		"nothing": {},
		"one":     {said: []string{"no \"card\"\nat all"}, want: `log: 1 error: "no \"card\"\nat all"`},
		"two":     {said: []string{"first", "second"}, want: `log: 2 errors, first: "first" (` + hint.Do("read_logs", "step", "last") + ")"},
		"equal ones": {said: []string{"same", "same", "same"}, want: `log: 3 errors, first: "same" (` + hint.Do("read_logs", "step",
			"last") + ")"},
		"a fault": {
			change: func(e *telemetry.Entry) { e.Level = telemetry.Fault }, said: []string{"x"}, want: `log: 1 error: "x"`,
		},
		"printed": {
			change: func(e *telemetry.Entry) { e.Source = telemetry.Console }, said: []string{"x"}, want: `log: 1 error: "x"`,
		},
		"a warning":            {change: func(e *telemetry.Entry) { e.Level = telemetry.Warning }, said: []string{"x"}},
		"noise":                {said: []string{"boringssl_context_handle_fatal_alert(2072) [C1.1.1.1:2] read alert"}},
		"another app":          {change: func(e *telemetry.Entry) { e.App = "com.other" }, said: []string{"x"}},
		"a process of no app":  {change: func(e *telemetry.Entry) { e.App = "" }, said: []string{"x"}},
		"another device":       {change: func(e *telemetry.Entry) { e.Device = "V" }, said: []string{"x"}},
		"a build":              {change: func(e *telemetry.Entry) { e.Source = telemetry.Build }, said: []string{"x"}},
		"a crash, told anyway": {change: func(e *telemetry.Entry) { e.Source = telemetry.Crash }, said: []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTalking(t)
			w.say(nil, "of before", "same") // also what is equal to a line of before counts anew
			if got := w.call(t, "act", func() { w.say(c.change, c.said...) }); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestNextCallReportsLateErrors, under the step after which they came, and once; a look tells them too.
func TestNextCallReportsLateErrors(t *testing.T) {
	w := newTalking(t)
	w.say(nil, "of before")
	if got := w.call(t, "look", nil); got != "" {
		t.Errorf("a session that did nothing is told %q", got)
	}
	w.call(t, "act", nil)
	w.say(nil, "late")
	if got, want := w.call(t, "look", nil), `log: 1 error since step s1: "late"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := w.call(t, "look", nil); got != "" {
		t.Errorf("told twice: %q", got)
	}
	w.say(nil, "late again", "and again")
	want := `log: 2 errors since step s1, first: "late again" (` + hint.Do("read_logs", "step", "s1") + ")\nlog: 1 error: \"new\""
	if got := w.call(t, "act", func() { w.say(nil, "new") }); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e := w.Run(t.Context(), "act", op.Call{Session: "bob"}, nil)
	if len(e.Meta.Notices) != 1 || e.Meta.Logs == nil || e.Meta.Logs.Errors != 1 || e.Meta.Logs.First != "new" {
		t.Errorf("another session is told %+v", e.Meta) // its app says "new" again
	}
}

// TestAnswerDoesNotCountErrorsThatItShows, and not as late by the next one.
func TestAnswerDoesNotCountErrorsThatItShows(t *testing.T) {
	w := newTalking(t)
	w.call(t, "act", nil)
	w.say(nil, "shown")
	for _, name := range []string{"show", "look"} {
		if got := w.call(t, name, nil); got != "" {
			t.Errorf("%s tells %q, want nothing", name, got)
		}
	}
}
