package agent

import (
	"context"
	"slices"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

func (s *session) tapElement(ctx context.Context, m *agentwire.TapElement) (agentwire.Response, error) {
	return s.tap(ctx, newQuery(m.Selector, false, ""), m.TimeoutMS)
}

func (s *session) tapByLabel(ctx context.Context, m *agentwire.TapByLabel) (agentwire.Response, error) {
	return s.tap(ctx, newQuery(m.Label, true, ""), m.TimeoutMS)
}

func (s *session) tapWithType(ctx context.Context, m *agentwire.TapWithType) (agentwire.Response, error) {
	if !knownType(m.Type) {
		return nil, faultf(agentwire.CodeBadRequest, "unknown element type %q", m.Type)
	}
	return s.tap(ctx, newQuery(m.Selector, m.ByLabel, m.Type), m.TimeoutMS)
}

// tap waits until the element can be tapped, up to the client's timeout, and taps its centre. Without a timeout it tries once and does
// not check that the element is still, because that needs two looks.
func (s *session) tap(ctx context.Context, q query, timeoutMS *uint64) (agentwire.Response, error) {
	wait := milliseconds(timeoutMS)
	var still *stillness
	if wait > 0 {
		still = &stillness{}
	}
	return done(s.poll(ctx, wait, func() error { return s.tryTap(ctx, q, still) }))
}

// tryTap looks twice: an element in motion may seem hittable in one look, so the second look must show it at the same place.
func (s *session) tryTap(ctx context.Context, q query, still *stillness) error {
	var frame world.Rect
	for range 2 {
		el, err := s.hittable(ctx, q)
		if err != nil {
			return err
		}
		frame = el.Frame
		if still != nil && !still.after(frame) {
			return faultf(agentwire.CodeUnstable, "element %s is unstable: it is moving", q)
		}
	}
	return s.opts.Screen.Tap(ctx, s.opts.UDID, frame.Centre())
}

// hittable finds an element that a touch would reach.
func (s *session) hittable(ctx context.Context, q query) (*world.Element, error) {
	found, err := s.locate(ctx, q)
	if err != nil {
		if fault(err).Code == agentwire.CodeAppNotRunning && s.behind(ctx) { // the app's elements are out of reach
			err = faultf(agentwire.CodeNotHittable, "element %s is not hittable: its app is not in front", q)
		}
		return nil, err
	}
	if !found.hittable() {
		return nil, faultf(agentwire.CodeNotHittable, "element %s is not hittable", q)
	}
	return found.element(), nil
}

// behind reports whether the target runs behind another app. SpringBoard never counts as behind.
func (s *session) behind(ctx context.Context) bool {
	target := s.aimedAt()
	state, err := s.opts.Screen.State(ctx, s.opts.UDID, target)
	return err == nil && state == world.RunningBackground && target != world.SpringBoard
}

// stillness records an element's motion: its last frame, and the number of consecutive looks with that frame.
type stillness struct {
	frame world.Rect
	seen  int
}

// after adds one more look and reports whether the element is still.
func (s *stillness) after(frame world.Rect) bool {
	if s.seen == 0 || frame != s.frame {
		s.frame, s.seen = frame, 0
	}
	s.seen++
	return s.seen >= 2
}

const (
	pollEvery = 50 * time.Millisecond
	longest   = 24 * time.Hour // prevents overflow of summed times
)

// poll tries until success, a permanent error, or the end of wait, and returns the error of the last try.
func (s *session) poll(ctx context.Context, wait time.Duration, try func() error) error {
	clock := s.opts.Clock
	for deadline := clock.Now().Add(wait); ; {
		err := try()
		if err == nil || !passing(err) || !clock.Now().Before(deadline) {
			return err
		}
		if err := clock.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// passing reports whether waiting may cure err.
func passing(err error) bool {
	curable := []agentwire.Code{agentwire.CodeNotFound, agentwire.CodeNotHittable, agentwire.CodeUnstable, agentwire.CodeAppNotRunning}
	return slices.Contains(curable, fault(err).Code)
}

func milliseconds(ms *uint64) time.Duration {
	if ms == nil {
		return 0
	}
	return time.Duration(min(*ms, uint64(longest.Milliseconds()))) * time.Millisecond
}
