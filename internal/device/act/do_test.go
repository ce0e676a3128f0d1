package act_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// TestDoReportsEffectOfCustomInput: an input that only its caller knows is looked at as every other step is.
func TestDoReportsEffectOfCustomInput(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	tapping := func(id string) func(context.Context, *ui.Screen) (string, error) {
		return func(ctx context.Context, before *ui.Screen) (string, error) {
			n := before.Match(ui.Query{Identifier: id})
			return "by hand", s.Device.(device.Touch).Tap(ctx, n[0].Seen().Centre())
		}
	}
	short := 80 * time.Millisecond
	for name, c := range map[string]struct {
		button  string
		how     act.How
		outcome ui.Outcome
		atMost  time.Duration // of the world's time
	}{
		"changed":            {"now", act.How{}, ui.Changed, 400 * time.Millisecond},
		"late":               {"later", act.How{}, ui.Changed, 1500 * time.Millisecond},
		"never":              {"never", act.How{}, ui.Unchanged, 2500 * time.Millisecond},
		"no time for it":     {"later", act.How{Settle: &short, React: &short}, ui.Unchanged, 300 * time.Millisecond},
		"little time":        {"now", act.How{Settle: &short, React: &short}, ui.Changed, 300 * time.Millisecond},
		"a short settle":     {"later", act.How{Settle: &short}, ui.Changed, 1500 * time.Millisecond},
		"digits, no time":    {"clock", act.How{Settle: &short, React: &short}, ui.Unchanged, 300 * time.Millisecond},
		"a reaction of none": {"now", act.How{Settle: new(time.Duration(0)), React: new(time.Duration(0))}, "", 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s.begin(t, "com.example.late")
			var report act.Report
			var err error
			took := s.took(func() { report, err = s.Do(t.Context(), c.how, tapping(c.button)) })
			s.Must(err)
			if c.outcome != "" && report.Outcome != c.outcome || report.Method != "by hand" || report.Before == nil || report.After == nil {
				t.Errorf("%s by %q:\n%v", report.Outcome, report.Method, report.Lines)
			}
			if took > c.atMost {
				t.Errorf("it took %s", took)
			}
			if c.how.React != nil && report.Looked > *c.how.React+100*time.Millisecond {
				t.Errorf("a change was looked for %s", report.Looked)
			}
		})
	}
}

// TestDoReturnsFaultOfUnsentInput: what is not sent is an error, as it is; what may have been sent is an unknown outcome.
func TestDoReturnsFaultOfUnsentInput(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	s.begin(t, "com.example.late")
	no := errors.New("not this one")
	_, err := s.Do(t.Context(), act.How{}, func(context.Context, *ui.Screen) (string, error) { return "", no })
	if !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	lost := fault.New(fault.OutcomeUnknown, "it may have arrived").WithDispatch(fault.MaybeDispatched)
	report, err := s.Do(t.Context(), act.How{}, func(context.Context, *ui.Screen) (string, error) { return "by hand", lost })
	if err != nil || report.Outcome != ui.Unknown || report.Lost == nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestReportHasMethodOfDevice: a device with several ways says which one it took.
func TestReportHasMethodOfDevice(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.late", late)
	s.begin(t, "com.example.late")
	touch := s.Device.(abilities)
	s.Device = speaking{s.Device, touch}
	report, err := s.Tap(t.Context(), act.How{}, named("now"))
	if err != nil || report.Method != "by itself" {
		t.Errorf("%q, %v", report.Method, err)
	}
}

// speaking is a phone that tells how it does its inputs.
type speaking struct {
	device.Device
	abilities
}

func (s speaking) GuardsInputs() {}

func (s speaking) Tap(ctx context.Context, at ui.Point) error {
	device.GuardOf(ctx).Method = "by itself"
	return s.abilities.Tap(ctx, at)
}
