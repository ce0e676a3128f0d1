package agent

import (
	"context"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

const (
	swipeSeconds   = 0.3  // the default duration of a swipe
	longestGesture = 3600 // seconds; a longer touch is a mistake
)

func (s *session) tapCoord(ctx context.Context, m *agentwire.TapCoord) (agentwire.Response, error) {
	return done(s.opts.Screen.Tap(ctx, s.opts.UDID, point(m.X, m.Y)))
}

func (s *session) longPress(ctx context.Context, m *agentwire.LongPress) (agentwire.Response, error) {
	d, err := gesture(m.Seconds)
	if err != nil {
		return nil, err
	}
	return done(s.opts.Screen.LongPress(ctx, s.opts.UDID, point(m.X, m.Y), d))
}

func (s *session) swipe(ctx context.Context, m *agentwire.Swipe) (agentwire.Response, error) {
	seconds := swipeSeconds
	if m.Seconds != nil {
		seconds = *m.Seconds
	}
	d, err := gesture(seconds)
	if err != nil {
		return nil, err
	}
	return done(s.opts.Screen.Swipe(ctx, s.opts.UDID, point(m.StartX, m.StartY), point(m.EndX, m.EndY), d))
}

func (s *session) typeText(ctx context.Context, m *agentwire.TypeText) (agentwire.Response, error) {
	return done(s.opts.Screen.TypeText(ctx, s.opts.UDID, m.Text))
}

// gesture refuses durations that a finger cannot have: a swipe of zero seconds would be infinitely fast.
func gesture(seconds float64) (time.Duration, error) {
	if !(seconds > 0 && seconds <= longestGesture) { // also refuses a NaN
		return 0, faultf(agentwire.CodeBadRequest, "duration of %v seconds: want more than 0 and at most %d", seconds, longestGesture)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

func point(x, y int32) world.Point { return world.Point{X: float64(x), Y: float64(y)} }

func done(err error) (agentwire.Response, error) {
	if err != nil {
		return nil, err
	}
	return &agentwire.OK{}, nil
}
