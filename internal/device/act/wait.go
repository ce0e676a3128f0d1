package act

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Waiting is what to wait for.
type Waiting struct {
	Condition ui.Condition
	Value     string
	Query     ui.Query
	Timeout   time.Duration // 0 looks once
	Interval  time.Duration // between looks; 0 is a quarter of a second
}

// Waited is the result of waiting. Running out of time is a result, not an error.
type Waited struct {
	Matched bool
	Node    *ui.Node // the element; the last one seen when nothing matched
	Ref     string
	Screen  *ui.Screen
	Polls   int
	Took    time.Duration
}

// Wait looks until a condition holds or time is up. An app that is not running has no elements: waiting for an element to go
// ends then, waiting for one to appear goes on.
func (s Step) Wait(ctx context.Context, w Waiting) (Waited, error) {
	c := clock{began: time.Now()}
	out := Waited{}
	look := glance()
	if w.Condition == ui.IsSettled {
		look = device.Wait{Stable: 300 * time.Millisecond, Max: max(w.Timeout, 300*time.Millisecond)}
	}
	for {
		screen, err := s.observe(ctx, look)
		if err != nil && !fault.Is(err, fault.AppNotRunning) {
			return out, err
		}
		out.Polls++
		if err == nil {
			c.add(screen)
			out.Screen = screen
			if out.Matched, out.Node, out.Ref, err = s.holds(screen, w); err != nil {
				return out, err
			}
		} else if screenless(w.Condition) {
			out.Matched = true
		}
		out.Took = c.spent()
		left := w.Timeout - out.Took
		if out.Matched || left <= 0 || ctx.Err() != nil {
			return out, ctx.Err()
		}
		pause := w.Interval
		if pause == 0 {
			pause = 250 * time.Millisecond
		}
		pause = min(pause, left)
		look = device.Wait{Min: pause, Max: pause}
	}
}

func screenless(c ui.Condition) bool { return c == ui.NotExists || c == ui.IsGone }

// holds reports whether the condition holds on a screen. A ref means one element, or none when its element is gone.
func (s Step) holds(screen *ui.Screen, w Waiting) (bool, *ui.Node, string, error) {
	if w.Query.Ref == "" {
		ok, n := screen.Holds(w.Condition, w.Query, w.Value)
		ref := ""
		if n != nil {
			s.Session.Refs(func(r *ui.Refs) { ref = r.Name(s.Device.Info().UDID, screen, n) })
		}
		return ok, n, ref, nil
	}
	n, ref, err := s.find(w.Query, screen)
	expired, isRef := errors.AsType[*ui.ExpiredError](err)
	switch {
	case err == nil:
	case isRef && expired.Reason != ui.RefAmbiguous, fault.Is(err, fault.ElementNotFound):
		n = nil // the element is not there
	default:
		return false, nil, "", err
	}
	return ui.HoldsOn(w.Condition, n, w.Value), n, ref, nil
}
