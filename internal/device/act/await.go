package act

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// The waits of the looks below happen in the agent; the host never sleeps.

// still is a look at a screen without an input before it.
func still() device.Wait {
	return device.Wait{Stable: 100 * time.Millisecond, Max: patientMax}
}

// patientMax is the maximum time for a screen without an input to become still. A screen that still moves after it is taken to move
// forever.
const patientMax = 1500 * time.Millisecond

// settled is a look after an input. It is long enough for the app to begin to react.
func settled() device.Wait {
	return device.Wait{Stable: 150 * time.Millisecond, Min: 200 * time.Millisecond, Max: 3 * time.Second}
}

// still and settled are the looks below, shortened to the step's limit.
func (h How) still() device.Wait { return h.within(still(), min(still().Max, h.settle(still().Max))) }

func (h How) settled() device.Wait {
	w := h.within(settled(), h.settle(settled().Max))
	if h.React != nil {
		w.Min = min(w.Min, *h.React)
	}
	return w
}

func (h How) settle(usual time.Duration) time.Duration {
	if h.Settle == nil {
		return usual
	}
	return *h.Settle
}

func (h How) within(w device.Wait, most time.Duration) device.Wait {
	w.Min, w.Max = min(w.Min, most), most
	return w
}

// reactionStep is the pause between looks for a late change.
const reactionStep = 150 * time.Millisecond

// again is the look after a look without the expected change.
func again(left time.Duration) device.Wait {
	pause := min(250*time.Millisecond, left)
	return device.Wait{Stable: 100 * time.Millisecond, Min: pause, Max: max(pause, 500*time.Millisecond)}
}

// brief is a short look at a screen that never rests. It is long enough to see the screen move again.
func brief() device.Wait {
	const long = 100 * time.Millisecond
	return device.Wait{Stable: long, Min: long, Max: long}
}

// glance is a look without waiting.
func glance() device.Wait { return device.Wait{} }

// clock measures how long a step has waited: by the time of day, or by the time the looks report if that is more, as in a
// virtual world whose time passes only on request.
type clock struct {
	began  time.Time
	looked time.Duration
}

func (c *clock) add(s *ui.Screen) { c.looked += s.Waited }

func (c *clock) spent() time.Duration { return max(time.Since(c.began), c.looked) }

// settle looks until the screen is still. Moving parts of a screen that never rests are ignored.
func (s Step) settle(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	if s.restless() {
		return s.settleAround(ctx, w)
	}
	screen, err := s.observe(ctx, w)
	if err != nil || screen.Settled || w.Max < patientMax {
		return screen, err
	}
	return s.learn(ctx, screen), nil
}

// learn looks a few times at a screen that did not become still, and remembers which parts move. One look without news does not prove a
// still screen, so several looks must agree. If a later look fails, learn keeps the earlier one.
func (s Step) learn(ctx context.Context, screen *ui.Screen) *ui.Screen {
	const looks, enough, apart = 5, 3, 70 * time.Millisecond // apart is not a multiple of a usual animation period
	calm := 0
	for range looks {
		later, err := s.observe(ctx, device.Wait{Stable: apart, Min: apart, Max: apart})
		if err != nil {
			return screen
		}
		if calm++; !later.Settled || later.Hash() != screen.Hash() {
			calm = 0
		}
		if later.Waited += screen.Waited; calm == enough {
			s.Session.Refs(func(r *ui.Refs) { r.ForgetMotion(s.Device.Info().UDID) })
			return later
		}
		s.Session.Refs(func(r *ui.Refs) { r.LearnMotion(s.Device.Info().UDID, s.before, screen, later) })
		screen = later
	}
	screen.Settled, screen.Quiet = false, true
	return screen
}

// settleAround looks until everything is still except the parts that are known to move by themselves.
func (s Step) settleAround(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	if w.Max < brief().Max {
		return s.observe(ctx, w)
	}
	udid := s.Device.Info().UDID
	var last *ui.Screen
	for total, rest := time.Duration(0), time.Duration(0); ; {
		screen, err := s.observe(ctx, brief())
		if err != nil {
			return nil, err
		}
		if screen.Settled {
			s.Session.Refs(func(r *ui.Refs) { r.ForgetMotion(udid) })
			return s.observe(ctx, w)
		}
		still := false
		s.Session.Refs(func(r *ui.Refs) { still = r.AtRest(udid, last, screen) })
		total += screen.Waited
		if rest += screen.Waited; !still {
			rest = 0
		}
		screen.Waited, screen.Quiet = total, rest >= w.Stable && total >= w.Min
		switch {
		case screen.Quiet || ctx.Err() != nil || total >= w.Max && w.Max < patientMax:
			return screen, nil
		case total >= w.Max:
			return s.learn(ctx, screen), nil
		}
		last = screen
	}
}

// await looks until the target is present, holds still and can be touched, or until time is up. The error is the reason at the last
// look. await does not wait for a target that needs another input first, such as a scroll.
func (s Step) await(ctx context.Context, how How, q ui.Query) (aim, time.Duration, error) {
	var sent sent
	a, waited, err := s.awaiting(ctx, how, q, &sent)
	if !sent.any {
		s.saw(a.screen)
	}
	a.sent = sent
	return a, waited, sent.fail(err)
}

func (s Step) awaiting(ctx context.Context, how How, q ui.Query, sent *sent) (aim, time.Duration, error) {
	c := clock{began: time.Now()}
	screen, err := s.first(ctx, how)
	if how.Blind && fault.Is(err, fault.AppNotRunning) {
		return aim{screen: ui.NewScreen("", "not_running", nil)}, c.spent(), nil
	}
	for scrolled := false; ; {
		if err != nil {
			return aim{}, c.spent(), err
		}
		c.add(screen)
		if q.Empty() {
			return aim{screen: screen}, c.spent(), nil
		}
		a, why := s.take(ctx, how, q, screen)
		if why == nil {
			return a, c.spent(), nil
		}
		if how.Scroll && !scrolled && (fault.Is(why, fault.ElementNotFound) || fault.Is(why, fault.ElementUnhittable)) {
			scrolled = true
			s.saw(screen)
			if _, err := s.seek(ctx, q, Scroll{}, screen, sent); err != nil {
				return aim{}, c.spent(), err
			}
			screen, err = s.settle(ctx, how.still())
			continue
		}
		left := how.patience() - c.spent()
		if left <= 0 || hopeless(why, screen) || ctx.Err() != nil {
			return aim{screen: screen}, c.spent(), why
		}
		screen, err = s.observe(ctx, again(left))
	}
}

// first is the first look of a step. The device itself knows whether the screen is the same as at its last rest, and then does not
// wait. For a screen that never rests, only the session knows the moving parts.
func (s Step) first(ctx context.Context, how How) (*ui.Screen, error) {
	udid := s.Device.Info().UDID
	var last *ui.Screen
	s.Session.Refs(func(r *ui.Refs) { last = r.Recall(udid, r.Last(udid)) })
	if last != nil && s.restless() {
		screen, err := s.observe(ctx, glance())
		if err != nil {
			return nil, err
		}
		same := screen.Hash() == last.Hash()
		s.Session.Refs(func(r *ui.Refs) { same = same || r.AtRest(udid, last, screen) })
		if screen.Settled, screen.Quiet = false, same; same {
			return screen, nil
		}
	}
	screen, err := s.settle(ctx, how.still())
	if err == nil && last != nil && screen.Hash() != last.Hash() {
		s.Session.Refs(func(r *ui.Refs) { r.Drifted(udid, last, screen) })
	}
	return screen, err
}

// take finds the target on one screen. If the screen still moves, a second look makes sure that the target does not.
func (s Step) take(ctx context.Context, how How, q ui.Query, screen *ui.Screen) (aim, error) {
	node, ref, err := s.find(q, screen)
	if err != nil {
		return aim{}, err
	}
	reach, err := s.reach(screen, node)
	if err != nil {
		return aim{}, err
	}
	a := aim{node: node, ref: ref, Reach: reach, screen: screen}
	if screen.Settled || how.NoWait {
		return a, nil
	}
	later, err := s.observe(ctx, glance())
	if err != nil {
		return aim{}, err
	}
	now, _, err := s.find(ui.Query{Ref: ref}, later)
	if err != nil {
		return aim{}, err
	}
	if now.Frame != node.Frame {
		return aim{}, fault.New(fault.ElementUnstable, "%s keeps moving", node.Describe()).WithDispatch(fault.NotDispatched)
	}
	if reach, err = s.reach(later, now); err != nil {
		return aim{}, err
	}
	return aim{node: now, ref: ref, Reach: reach, screen: later}, nil
}

// offScreen reports whether an error means that scrolling may bring the element into view.
func offScreen(err error) bool {
	far, unreachable := errors.AsType[*ui.UnreachableError](err)
	return fault.Is(err, fault.ElementNotFound) || unreachable && far.OffScreen
}

// hopeless reports whether waiting cannot resolve an error: several elements match, a ref's element is missing on a settled screen, or
// the element is off the screen.
func hopeless(err error, screen *ui.Screen) bool {
	switch {
	case fault.Is(err, fault.ElementNotFound), fault.Is(err, fault.ElementUnstable):
		return false
	case fault.Is(err, fault.ElementUnhittable):
		return screen.Settled && offScreen(err)
	case fault.Is(err, fault.RefExpired):
		return screen.Settled
	}
	return true
}
