package world

import (
	"context"
	"time"
)

// Tap touches a point for a moment.
func (w *World) Tap(ctx context.Context, udid string, at Point) error {
	return w.act(ctx, udid, tapCost, func(d *device, now time.Time) error {
		f := finger{now: now, from: at, to: at, took: tapCost, taps: d.inARow(at, now)}
		d.note(InputTap, f)
		d.tap(f)
		return nil
	})
}

// LongPress touches a point for a while. An element without an action for a long press takes it as a tap.
func (w *World) LongPress(ctx context.Context, udid string, at Point, long time.Duration) error {
	return w.act(ctx, udid, long, func(d *device, now time.Time) error {
		f := finger{gesture: held, now: now, from: at, to: at, took: long}
		d.note(InputHold, f)
		d.touch(f)
		return nil
	})
}

// Swipe moves a finger over a device's screen. Scrolling content follows it, and glides after the finger is lifted.
func (w *World) Swipe(ctx context.Context, udid string, from, to Point, took time.Duration) error {
	return w.act(ctx, udid, took, func(d *device, now time.Time) error {
		f := finger{gesture: swiped, now: now, from: from, to: to, took: took}
		d.note(InputSwipe, f)
		d.swipe(f)
		return nil
	})
}

// touch gives a touch to the screen.
func (d *device) touch(f finger) {
	d.advance(f.now)
	d.rememberScreen(f.now)
	if p := d.process(d.Front); p != nil && p.busy.at(f.now) && !d.asks() {
		d.delay(f, p.busy.until)
		return
	}
	if d.screen().Bounds().Contains(f.from) { // a touch outside the screen has no effect
		d.topView(f).touch(f)
	}
	d.advance(f.now)
}

// TypeText types into the focused field; "\n" is the return key and "\b" the delete key. The error is ErrNoFocus without a focus, and
// ErrFocusLost if the focus is lost on the way; text typed before stays.
func (w *World) TypeText(ctx context.Context, udid, text string) error {
	if err := w.untilAnswering(ctx, udid, ""); err != nil {
		return err
	}
	cost := keyCost * time.Duration(len([]rune(text)))
	var missed error
	err := w.act(ctx, udid, cost, func(d *device, now time.Time) error {
		missed = d.typeText(text, now)
		d.advance(now)
		return nil
	})
	if missed != nil {
		return missed
	}
	return err
}

func (d *device) typeText(text string, now time.Time) error {
	p := d.process(d.Front)
	if p == nil || p.focused() == nil || d.asks() {
		return noFocus()
	}
	d.note(InputKeys, finger{now: now})
	d.rememberScreen(now)
	for _, r := range p.typed(text, now) {
		if !p.enter(r, now) {
			return focusLost()
		}
	}
	return nil
}

// topView receives a touch: a system alert, a banner under the finger, or the app in front.
func (d *device) topView(f finger) *view {
	if v := d.promptView(d.screen()); v != nil {
		return v
	}
	if v := d.bannerView(f.now, d.screen()); v != nil {
		for e := range v.acts {
			if e.Frame.Contains(f.from) {
				return v
			}
		}
	}
	return d.frontView(f.now)
}

// frontView is the view of the app in front.
func (d *device) frontView(now time.Time) *view {
	v := d.viewOf(d.front(), now)
	if v == nil {
		v = d.springboard(d.screen())
	}
	return v
}

// viewOf is the view of an app, or nil if it does not run.
func (d *device) viewOf(bundle string, now time.Time) *view {
	if bundle == SpringBoard {
		return d.springboard(d.screen())
	}
	if p := d.process(bundle); p != nil {
		return p.view(p.busy.clock(now), d.screen())
	}
	return nil
}
