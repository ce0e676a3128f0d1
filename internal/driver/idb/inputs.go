package idb

import (
	"context"
	"math"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

var (
	_ device.Touch    = (*phone)(nil)
	_ device.Gestures = (*phone)(nil)
	_ device.Rotation = (*phone)(nil)
	_ device.Buttons  = (*phone)(nil)
)

const (
	touchTime = 50 * time.Millisecond  // of a finger that taps: a SwiftUI switch ignores a shorter touch
	twiceGap  = 100 * time.Millisecond // between the taps of a double tap
	swipeTime = 300 * time.Millisecond // default duration of a swipe
	pinchTime = 500 * time.Millisecond
	pinchFar  = 80.0  // from the middle of a pinch to its farther end, in points
	dragSpeed = 500.0 // points per second
	stepSize  = 10.0  // step of a moving finger, in points
)

type events = []*idbwire.HIDEvent

// perform sends inputs as one stream.
func (p *phone) perform(ctx context.Context, all events) error {
	if err := p.onPanel(all); err != nil {
		return err
	}
	long := 0.0
	messages := make([]any, len(all))
	for i, e := range all {
		messages[i] = e
		switch {
		case e.Delay != nil:
			long += e.Delay.Duration
		case e.Swipe != nil:
			long += e.Swipe.Duration
		}
	}
	return p.do(ctx, acts, time.Duration(long*float64(time.Second)), func(ctx context.Context, c *companion) error {
		return c.send(ctx, idbwire.HID, messages, func(next func(any) error) error { return next(&idbwire.Empty{}) })
	})
}

// onPanel converts places on the screen to places on the panel, which does not turn with the device. In landscape, only a turn by this
// driver tells which side is up.
func (p *phone) onPanel(all events) error {
	p.mu.Lock()
	screen, panel, side := p.screen, p.panel, p.held
	p.mu.Unlock()
	if screen.W <= screen.H {
		return nil
	}
	if panel.Empty() {
		panel = ui.Rect{W: screen.H, H: screen.W}
	}
	for _, e := range all {
		for _, at := range places(e) {
			switch side {
			case "landscape-left": // the device's top is on the left
				at.X, at.Y = panel.W-at.Y, at.X
			case "landscape-right":
				at.X, at.Y = at.Y, panel.H-at.X
			default:
				return refuse(fault.Unsupported, "%s is in landscape, and idb does not report which side is up", p.info.Name).
					WithHint("turn it with this driver first: %s; or choose another driver: %s", hint.Do("rotate", "orientation", "landscape-left"),
						useXCTest)
			}
		}
	}
	return nil
}

// places are the places of an input.
func places(e *idbwire.HIDEvent) []*idbwire.Point {
	switch {
	case e.Press != nil && e.Press.Action.Touch != nil:
		return []*idbwire.Point{e.Press.Action.Touch.Point}
	case e.Swipe != nil:
		return []*idbwire.Point{e.Swipe.Start, e.Swipe.End}
	case e.Pinch != nil:
		return []*idbwire.Point{e.Pinch.Center}
	}
	return nil
}

func point(at ui.Point) *idbwire.Point { return &idbwire.Point{X: at.X, Y: at.Y} }

func press(a *idbwire.HIDPressAction, d idbwire.Direction) *idbwire.HIDEvent {
	return &idbwire.HIDEvent{Press: &idbwire.HIDPress{Action: a, Direction: d}}
}

func touch(at ui.Point, d idbwire.Direction) *idbwire.HIDEvent {
	return press(&idbwire.HIDPressAction{Touch: &idbwire.HIDTouch{Point: point(at)}}, d)
}

func delay(long time.Duration) *idbwire.HIDEvent {
	return &idbwire.HIDEvent{Delay: &idbwire.HIDDelay{Duration: long.Seconds()}}
}

// held is a finger that rests on a point.
func held(at ui.Point, long time.Duration) events {
	return events{touch(at, idbwire.Down), delay(long), touch(at, idbwire.Up)}
}

// Tap touches a point.
func (p *phone) Tap(ctx context.Context, at ui.Point) error {
	return p.perform(ctx, held(at, touchTime))
}

// DoubleTap touches a point twice.
func (p *phone) DoubleTap(ctx context.Context, at ui.Point) error {
	return p.perform(ctx, append(append(held(at, touchTime), delay(twiceGap)), held(at, touchTime)...))
}

// LongPress holds a finger on a point.
func (p *phone) LongPress(ctx context.Context, at ui.Point, long time.Duration) error {
	return p.perform(ctx, held(at, long))
}

// Swipe moves a finger over the screen and lifts it.
func (p *phone) Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error {
	if took == 0 {
		took = swipeTime
	}
	return p.perform(ctx, events{{Swipe: &idbwire.HIDSwipe{Start: point(from), End: point(to), Delta: stepSize, Duration: took.Seconds()}}})
}

// Drag presses a point and moves to another. A touch while the finger is down moves the finger.
func (p *phone) Drag(ctx context.Context, d device.Drag) error {
	far := math.Hypot(d.To.X-d.From.X, d.To.Y-d.From.Y)
	speed := d.Velocity
	if !(speed > 0) {
		speed = dragSpeed
	}
	steps := max(1, int(far/stepSize))
	pause := time.Duration(far / speed / float64(steps) * float64(time.Second))
	all := events{touch(d.From, idbwire.Down), delay(d.Press)}
	for i := 1; i <= steps; i++ {
		part := float64(i) / float64(steps)
		at := ui.Point{X: d.From.X + (d.To.X-d.From.X)*part, Y: d.From.Y + (d.To.Y-d.From.Y)*part}
		all = append(all, delay(pause), touch(at, idbwire.Down))
	}
	return p.perform(ctx, append(all, delay(d.Hold), touch(d.To, idbwire.Up)))
}

// Pinch moves two fingers, which stay on the screen. An older companion refuses the command before it does anything.
func (p *phone) Pinch(ctx context.Context, at ui.Point, scale float64) error {
	if !(scale > 0) || math.IsInf(scale, 1) || scale == 1 {
		return refuse(fault.InvalidInput, "invalid scale %v of a pinch", scale).
			WithHint("use a scale above 1 to spread the fingers, below 1 to bring them together")
	}
	radius := pinchFar / max(scale, 1)
	return p.perform(ctx, events{{Pinch: &idbwire.HIDPinch{Center: point(at), Scale: scale, Duration: pinchTime.Seconds(), Radius: radius}}})
}

// turned are the companion's numbers for orientations. It names the sides of the interface, which turns in the opposite direction of the
// device.
var turned = map[string]idbwire.Orientation{
	"portrait": idbwire.Portrait, "portrait-upside-down": idbwire.PortraitUpsideDown, "landscape-left": idbwire.LandscapeRight,
	"landscape-right": idbwire.LandscapeLeft,
}

// Rotate turns the device. An older companion refuses the command before it does anything.
func (p *phone) Rotate(ctx context.Context, to string) error {
	o, known := turned[to]
	if !known {
		return refuse(fault.InvalidInput, "unknown orientation %q", to).
			WithHint("use portrait, portrait-upside-down, landscape-left or landscape-right")
	}
	err := p.perform(ctx, events{{Orientation: &idbwire.HIDOrientation{Orientation: o}}})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held = ""; err == nil {
		p.held = to
	}
	return err
}

// buttons are the companion's numbers for hardware buttons.
var buttons = map[string]idbwire.Button{
	"home": idbwire.Home, "lock": idbwire.Lock, "side": idbwire.SideButton, "siri": idbwire.Siri, "apple-pay": idbwire.ApplePay,
}

// Press presses a button.
func (p *phone) Press(ctx context.Context, button string, hold time.Duration) error {
	b, known := buttons[button]
	if !known {
		return refuse(fault.Unsupported, "%s cannot press the %s button", p.who(), button).
			WithHint("press home, lock, side, siri or apple-pay; or choose another driver: %s", useXCTest)
	}
	a := &idbwire.HIDPressAction{Button: &idbwire.HIDButton{Button: b}}
	return p.perform(ctx, events{press(a, idbwire.Down), delay(hold), press(a, idbwire.Up)})
}
