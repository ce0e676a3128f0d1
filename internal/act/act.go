// Package act performs one step on a device and tells what came of it: resolve, wait until the screen is still, act,
// let it settle, compare. A step never says more than the screen shows.
package act

import (
	"context"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/session"
	"ios-agent/internal/ui"
)

// still is a look at a screen that nothing has touched. How long to look is said once; the waiting is the agent's
// business, and the host never sleeps.
func still() device.Wait {
	return device.Wait{Stable: 100 * time.Millisecond, Max: 3 * time.Second}
}

// settled is a look after an input: long enough for the app to begin to react.
func settled() device.Wait {
	return device.Wait{Stable: 150 * time.Millisecond, Min: 200 * time.Millisecond, Max: 3 * time.Second}
}

// Report is what came of a step.
type Report struct {
	Target   *ui.Node // nil when the step had none
	Ref      string   // the target's
	Outcome  ui.Outcome
	Evidence []string
	Lines    []string   // the diff, for models
	After    *ui.Screen // the settled screen
	Lost     error      // why the outcome is unknown
}

// Step is one device, seen by one session, on which a step is performed. The caller holds the device's lane.
type Step struct {
	Device  device.Device
	Session *session.Session
}

// Look observes the screen and lets render use the session's refs with it.
func (s Step) Look(ctx context.Context, render func(*ui.Screen, *ui.Refs)) error {
	screen, err := s.observe(ctx, still())
	if err != nil {
		return err
	}
	s.Session.Refs(func(r *ui.Refs) { render(screen, r) })
	return nil
}

// Tap taps the centre of the element q means.
func (s Step) Tap(ctx context.Context, q ui.Query) (Report, error) {
	return s.perform(ctx, q, s.tap)
}

// Type appends text to the element q means, focusing it first when it has not the focus; with an empty query, to
// whatever has the focus.
func (s Step) Type(ctx context.Context, q ui.Query, text string) (Report, error) {
	keyboard, err := device.As[device.Keyboard](s.Device)
	if err != nil {
		return Report{}, err
	}
	return s.perform(ctx, q, func(ctx context.Context, target *ui.Node, ref string) error {
		if target != nil {
			if err := s.focus(ctx, target, ref); err != nil {
				return err
			}
		}
		return keyboard.Type(ctx, text)
	})
}

// Press presses a button of the device's body.
func (s Step) Press(ctx context.Context, button string, hold time.Duration, times int) (Report, error) {
	body, err := device.As[device.Buttons](s.Device)
	if err != nil {
		return Report{}, err
	}
	return s.perform(ctx, ui.Query{}, func(ctx context.Context, _ *ui.Node, _ string) error {
		for range times {
			if err := body.Press(ctx, button, hold); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Step) tap(ctx context.Context, target *ui.Node, _ string) error {
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return err
	}
	return touch.Tap(ctx, target.Frame.Centre())
}

// focus taps a text field and looks whether it took the focus: text that goes into another field is worse than none.
func (s Step) focus(ctx context.Context, target *ui.Node, ref string) error {
	switch {
	case !target.TakesText():
		return fault.New(fault.ElementNotEditable, "%s does not take text", target.Describe()).WithDispatch(fault.NotDispatched)
	case target.Focused:
		return nil
	}
	if err := s.tap(ctx, target, ref); err != nil {
		return err
	}
	screen, err := s.observe(ctx, settled())
	if err != nil {
		return err
	}
	now, _, err := s.find(ui.Query{Ref: ref}, screen)
	if err != nil {
		return err
	}
	if !now.Focused {
		return fault.New(fault.NoFocus, "%s was tapped but did not take the focus; nothing was typed", target.Describe()).
			WithHint("take a `snapshot` and see what is in the way").WithDispatch(fault.NotDispatched)
	}
	return nil
}

// observe looks at the app in front; an app that does not run cannot be looked at.
func (s Step) observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	eyes, err := device.As[device.Eyes](s.Device)
	if err != nil {
		return nil, err
	}
	screen, err := eyes.Observe(ctx, w)
	if err == nil && screen.Root == nil {
		return nil, fault.New(fault.AppNotRunning, "%s is not running on %s", screen.App, s.Device.Info().Name).
			WithHint("start it: `ios-agent launch %s`", screen.App)
	}
	return screen, err
}

// perform is the shape of every step. Once the input may have left, no error hides what the screen shows: the report
// says unknown instead.
func (s Step) perform(ctx context.Context, q ui.Query, input func(context.Context, *ui.Node, string) error) (Report, error) {
	before, err := s.observe(ctx, still())
	if err != nil {
		return Report{}, err
	}
	report := Report{}
	if !q.Empty() {
		if report.Target, report.Ref, err = s.resolve(q, before); err != nil {
			return Report{}, err
		}
	}
	if err := input(ctx, report.Target, report.Ref); err != nil {
		if fault.From(err).Dispatched != fault.MaybeDispatched {
			return Report{}, err
		}
		report.Lost = err
	}
	after, err := s.observe(ctx, settled())
	if err != nil {
		return Report{}, unseen(err, report)
	}
	s.judge(&report, before, after)
	return report, nil
}

// resolve finds the element and makes sure that a touch would reach it.
func (s Step) resolve(q ui.Query, screen *ui.Screen) (*ui.Node, string, error) {
	node, ref, err := s.find(q, screen)
	if err != nil {
		return nil, "", err
	}
	s.Session.Refs(func(r *ui.Refs) { err = r.Reach(s.Device.Info().UDID, screen, node) })
	if err != nil {
		return nil, "", err
	}
	return node, ref, nil
}

func (s Step) find(q ui.Query, screen *ui.Screen) (node *ui.Node, ref string, err error) {
	udid := s.Device.Info().UDID
	s.Session.Refs(func(r *ui.Refs) {
		if node, err = r.Find(q, udid, screen); err == nil {
			ref = r.Name(udid, screen, node)
		}
	})
	return node, ref, err
}

func (s Step) judge(report *Report, before, after *ui.Screen) {
	diff := ui.Compare(before, after)
	report.After = after
	report.Outcome, report.Evidence = diff.Judge(report.Target)
	if report.Lost != nil {
		report.Outcome = ui.Unknown
	}
	s.Session.Refs(func(r *ui.Refs) { report.Lines = diff.Lines(s.Device.Info().UDID, r) })
}

// unseen is the fault of a step whose effect could not be looked at. An app that ended tells something all the same.
func unseen(err error, report Report) error {
	if fault.Is(err, fault.AppNotRunning) && report.Lost == nil {
		return fault.From(err).WithHint("it ended after the input: it may have crashed").WithDispatch(fault.Dispatched)
	}
	dispatched := fault.Dispatched
	if report.Lost != nil {
		dispatched = fault.MaybeDispatched
	}
	return fault.New(fault.OutcomeUnknown, "the input was sent, but the screen could not be read after: %w", err).WithDispatch(dispatched)
}
