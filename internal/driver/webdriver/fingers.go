package webdriver

import (
	"context"
	"math"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Fingers touch a screen with W3C actions. Several drivers embed it.
type Fingers struct {
	// Send sends touches as one command.
	Send func(ctx context.Context, inputs ...Input) error
	// Screen is the area for two fingers; an empty area is unknown. It may be nil.
	Screen func() ui.Rect
}

var (
	_ device.Touch    = Fingers{}
	_ device.Gestures = Fingers{}
)

// Tap touches a point.
func (f Fingers) Tap(ctx context.Context, at ui.Point) error { return f.Send(ctx, Tap(at)) }

// DoubleTap touches a point twice.
func (f Fingers) DoubleTap(ctx context.Context, at ui.Point) error { return f.Send(ctx, DoubleTap(at)) }

// LongPress holds a finger on a point.
func (f Fingers) LongPress(ctx context.Context, at ui.Point, long time.Duration) error {
	return f.Send(ctx, LongPress(at, long))
}

// Swipe moves a finger over the screen and lifts it.
func (f Fingers) Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error {
	return f.Send(ctx, Swipe(from, to, took))
}

// Drag presses a point and moves to another.
func (f Fingers) Drag(ctx context.Context, d device.Drag) error {
	return f.Send(ctx, Drag(d.From, d.To, d.Press, d.Hold, d.Velocity))
}

// Pinch moves two fingers.
func (f Fingers) Pinch(ctx context.Context, at ui.Point, scale float64) error {
	if !(scale > 0) || math.IsInf(scale, 1) || scale == 1 {
		return fault.New(fault.InvalidInput, "invalid scale %v of a pinch", scale).
			WithHint("use a scale above 1 to spread the fingers, below 1 to bring them together").
			WithDispatch(fault.NotDispatched)
	}
	var screen ui.Rect
	if f.Screen != nil {
		screen = f.Screen()
	}
	return f.Send(ctx, Pinch(at, scale, screen)...)
}
