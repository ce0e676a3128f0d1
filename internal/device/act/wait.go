package act

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// Waiting is a condition to wait for.
type Waiting struct {
	Condition ui.Condition
	Value     string
	Query     ui.Query
	Timeout   time.Duration // 0 looks once
	Interval  time.Duration // interval of the looks; 0 is a quarter of a second
}

// Waited is the result of waiting. A timeout is a result, not an error.
type Waited struct {
	Matched bool
	Node    *ui.Node // the element; the last one seen if none matched
	Ref     string
	Screen  *ui.Screen // the last look; if the condition holds, the settled screen
	Still   bool       // the last look waited until the screen was still
	Running []*ui.Node // of a wait for a still screen: the activity on the last look
	Polls   int
	Took    time.Duration // time until the condition held
}

// RunningNames are the names of the elements that show activity.
func (w Waited) RunningNames() (names []string) {
	for _, n := range w.Running {
		names = append(names, n.Describe())
	}
	return names
}

// Wait looks until a condition holds or time is up. An app that is not running has no elements: a wait for an element to disappear ends
// then, but a wait for one to appear continues, unless the app cannot come back.
func (s Step) Wait(ctx context.Context, w Waiting) (Waited, error) {
	c := clock{began: time.Now()}
	out := Waited{}
	look := glance()
	if w.Condition == ui.IsSettled {
		look = settledLook(0, w.Timeout)
	}
	var bars stalled
	for {
		screen, err := s.observe(ctx, look)
		if err != nil && (!noScreen(err) || s.over() && !screenless(w.Condition)) {
			return out, err
		}
		out.Polls++
		if err == nil {
			c.add(screen)
			out.Screen = screen
			if out.Matched, out.Node, out.Ref, err = s.holds(screen, w); err != nil {
				return out, err
			}
			if w.Condition == ui.IsSettled {
				out.Running = screen.Running()
				out.Matched = out.Matched && bars.done(out.Running, c.spent())
			}
		} else {
			out.Screen, out.Matched = nil, screenless(w.Condition)
		}
		out.Took = c.spent()
		left := w.Timeout - out.Took
		if out.Matched || left <= 0 || ctx.Err() != nil {
			return s.rested(ctx, w, out), ctx.Err()
		}
		pause := w.Interval
		if pause == 0 {
			pause = 250 * time.Millisecond
		}
		pause = min(pause, left)
		if look = (device.Wait{Min: pause, Max: pause}); w.Condition == ui.IsSettled {
			look = settledLook(pause, left)
		}
	}
}

// settledLook is a look that ends when the screen is still.
func settledLook(least, most time.Duration) device.Wait {
	const stable = 300 * time.Millisecond
	return device.Wait{Stable: stable, Min: least, Max: max(most, stable)}
}

// stalled follows progress bars and spinners. A screen is not settled while a bar moves or a spinner spins. A bar that does not move
// for a long time shows something else, such as disk usage.
type stalled struct {
	shown string
	since time.Duration
}

// stall is how long a progress bar must stand still to count as inactive.
const stall = 3 * time.Second

func (b *stalled) done(running []*ui.Node, now time.Duration) bool {
	shown := ""
	for _, n := range running {
		if n.Spins() {
			return false
		}
		shown += n.Describe() + n.Value + "\n"
	}
	if shown != b.shown {
		b.shown, b.since = shown, now
	}
	return shown == "" || now-b.since >= stall
}

// rested looks until the screen is still once the condition holds: a condition often holds during an animation, and a moving element
// cannot be acted on. If a later look fails, rested keeps the earlier one.
func (s Step) rested(ctx context.Context, w Waiting, out Waited) Waited {
	out.Still = out.Matched && out.Screen != nil
	if !out.Still || w.Condition == ui.IsSettled {
		return out
	}
	screen, err := s.settle(ctx, still())
	if err != nil {
		out.Still = false
		return out
	}
	out.Screen = screen
	if n := out.Node; n != nil && screen.Again(n) != nil { // the element is unchanged since the condition held; its ref is current
		s.Session.Refs(func(r *ui.Refs) { out.Ref = r.Name(s.Device.Info().UDID, screen, screen.Again(n)) })
	}
	return out
}

// appearance is how long an app may take after its launch to show something.
const appearance = 3 * time.Second

// FirstLook lets render use the first settled screen of a launched app, or its current screen if it has shown nothing for too long.
func (s Step) FirstLook(ctx context.Context, render func(*ui.Screen, *ui.Refs)) error {
	c := clock{began: time.Now()}
	screen, err := s.settle(ctx, still())
	for err == nil && outline.Blank(screen) && c.spent() < appearance && ctx.Err() == nil {
		c.add(screen)
		screen, err = s.observe(ctx, again(appearance))
	}
	if err != nil {
		return err
	}
	s.Session.Refs(func(r *ui.Refs) {
		render(screen, r)
		r.Remember(s.Device.Info().UDID, screen)
	})
	return nil
}

func screenless(c ui.Condition) bool { return c == ui.NotExists || c == ui.IsGone }

// holds reports whether the condition holds on a screen. A ref means one element, or none if its element is gone.
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
	case isRef && expired.Reason != ui.RefAmbiguous && expired.Reason != ui.RefForeign, fault.Is(err, fault.ElementNotFound):
		n = nil // the element is missing
	default:
		return false, nil, "", err
	}
	return ui.HoldsOn(w.Condition, n, w.Value), n, ref, nil
}
