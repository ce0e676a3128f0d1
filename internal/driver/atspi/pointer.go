package atspi

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Kinds of input of XTEST: the numbers of their events.
const (
	keyDown    = 2
	keyUp      = 3
	buttonDown = 4
	buttonUp   = 5
	motion     = 6
)

// The buttons of a wheel.
const (
	wheelUp    = 4
	wheelDown  = 5
	wheelLeft  = 6
	wheelRight = 7
)

// activation is how long a window manager may take to raise a window.
const activation = 3 * time.Second

// fake makes one input.
func (d *display) fake(kind, detail byte, at ui.Point) {
	xtest.FakeInput(d.conn, kind, detail, 0, d.root, int16(at.X), int16(at.Y), 0)
}

// sync waits until the server has processed all requests.
func (d *display) sync() error {
	_, err := xproto.GetInputFocus(d.conn).Reply()
	return err
}

// raise brings a window to the front and gives it the keyboard.
func (d *display) raise(ctx context.Context, w xproto.Window) error {
	defer d.within(activation + longestX)()
	if d.active() == w {
		return nil
	}
	managed := len(words(d.property(d.root, "_NET_SUPPORTING_WM_CHECK", 1))) == 1
	if !managed {
		xproto.ConfigureWindow(d.conn, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
		xproto.SetInputFocus(d.conn, xproto.InputFocusParent, w, xproto.TimeCurrentTime)
		return d.sync()
	}
	const pager = 2 // a request of the user's, which window managers obey
	event := xproto.ClientMessageEvent{Format: 32, Window: w, Type: d.atoms["_NET_ACTIVE_WINDOW"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{pager, 0, 0, 0, 0})}
	xproto.SendEvent(d.conn, false, d.root, xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(event.Bytes()))
	until := time.Now().Add(activation)
	for d.active() != w {
		if time.Now().After(until) {
			return errors.New("the window manager did not raise the window")
		}
		if err := pause.For(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// under is the topmost of some windows at a point; 0 without one.
func (d *display) under(at ui.Point, own []xwindow) xproto.Window {
	w := d.root
	for range 32 { // nested windows
		reply, err := xproto.TranslateCoordinates(d.conn, d.root, w, int16(at.X), int16(at.Y)).Reply()
		if err != nil || reply.Child == 0 {
			return 0
		}
		w = reply.Child
		for _, o := range own {
			if o.id == w {
				return w
			}
		}
	}
	return 0
}

// see returns the display, and connects again after a lost connection.
func (a *App) see(ctx context.Context) (*display, error) {
	switch {
	case a.screen == nil:
		return nil, noDisplay(a.pid, "")
	case !a.screen.gone.Load():
		return a.screen, nil
	}
	screen, err := openDisplay(ctx, a.at)
	if err != nil {
		return nil, err
	}
	a.screen = screen
	return screen, nil
}

// aim makes sure that a point belongs to an uncovered window of the process, so that no other program gets the input, and returns that
// window. The window must have been there at the last look: a window that came later is not the target.
func (a *App) aim(ctx context.Context, at ui.Point) (xproto.Window, error) {
	d, err := a.see(ctx)
	if err != nil {
		return 0, err
	}
	if at.X < 0 || at.Y < 0 || int(at.X) >= d.size[0] || int(at.Y) >= d.size[1] {
		return 0, off("the point %.0f,%.0f is outside of the screen of %d × %d", at.X, at.Y, d.size[0], d.size[1])
	}
	own, err := d.windows(a.pid)
	if err != nil {
		return 0, a.display(err)
	}
	there := under(own, at)
	if len(there) == 0 {
		return 0, off("process %d has no window at %.0f,%.0f", a.pid, at.X, at.Y)
	}
	if a.looked {
		switch still, err := a.still(own, at); {
		case err != nil:
			return 0, a.display(err)
		case !still:
			return 0, off("windows of process %d at %.0f,%.0f have opened, closed or moved since the last look", a.pid, at.X, at.Y)
		}
	}
	target := there[len(there)-1]
	if err := a.free(ctx, own, false); err != nil {
		return 0, err
	}
	if target.override {
		return target.id, nil
	}
	active := d.active()
	seen := d.under(at, own) == target.id && slices.ContainsFunc(own, func(w xwindow) bool { return w.id == active })
	if seen && (active == target.id || !d.takesKeys(target.id)) {
		return target.id, nil
	}
	if err := d.raise(ctx, target.id); err != nil && (!seen || ctx.Err() != nil) { // the keys may belong to its dialog
		return 0, a.display(err)
	}
	return target.id, nil
}

// takesKeys reports whether a click gives a window the keyboard: WM_HINTS says if not.
func (d *display) takesKeys(w xproto.Window) bool {
	const hasInput, input = 1, 1 // the flag, and its index
	hints, err := xproto.GetProperty(d.conn, false, w, xproto.AtomWmHints, xproto.AtomWmHints, 0, 2).Reply()
	if err != nil || hints.Format != 32 || len(hints.Value) < 8 {
		return true
	}
	return xgb.Get32(hints.Value)&hasInput == 0 || xgb.Get32(hints.Value[4*input:]) != 0
}

// off is the fault of a refused point.
func off(format string, args ...any) error {
	return fault.New(fault.ElementUnhittable, format, args...).WithDispatch(fault.NotDispatched).
		WithHint("look again, because the window may have moved, closed or been covered; or scroll the element into view")
}

// down aims and does something at a point. It grabs the server between the last check of the point and the input, so that no window
// comes in between. A window manager that handles presses first, to raise the window, passes them on to the window that is there then:
// on such a desktop a window that opens in that moment gets the press, as it would from a person.
func (a *App) down(ctx context.Context, at ui.Point, do func(d *display)) error {
	target, err := a.aim(ctx, at)
	if err != nil {
		return err
	}
	d := a.screen
	defer d.within(longestX)()
	xproto.GrabServer(d.conn)
	there := d.under(at, []xwindow{{id: target}}) == target
	if there {
		do(d)
	}
	xproto.UngrabServer(d.conn)
	switch err := d.sync(); {
	case err != nil:
		return a.display(err)
	case !there:
		return off("the point %.0f,%.0f is covered by another program's window, or by a new window of process %d", at.X, at.Y, a.pid)
	}
	return nil
}

// display is the fault of a failed X server or window manager.
func (a *App) display(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New(fault.ToolFailed, "process %d: the display %s: %w", a.pid, a.screen.name, err).
		WithHint("look again; if the fault stays, check that the X server and its window manager run")
}

// press aims, presses, does something, and releases, even after an error.
func (a *App) press(ctx context.Context, at ui.Point, button byte, between func() (ui.Point, error)) error {
	at = ui.Point{X: math.Round(at.X), Y: math.Round(at.Y)}
	err := a.down(ctx, at, func(d *display) {
		d.fake(motion, 0, at)
		d.fake(buttonDown, button, at)
	})
	if err != nil {
		return err
	}
	last, err := between()
	a.screen.fake(buttonUp, button, last)
	defer a.screen.within(longestX)()
	if synced := a.screen.sync(); err == nil {
		err = synced
	}
	return a.display(err)
}

// Click presses and releases, count times at once: a window that the first click opens does not get the second.
func (a *App) Click(ctx context.Context, at ui.Point, button, times int) error {
	return a.press(ctx, at, byte(button), func() (ui.Point, error) {
		for range times - 1 {
			a.screen.fake(buttonUp, byte(button), at)
			a.screen.fake(buttonDown, byte(button), at)
		}
		return at, nil
	})
}

// Hold presses for a time.
func (a *App) Hold(ctx context.Context, at ui.Point, long time.Duration) error {
	return a.press(ctx, at, 1, func() (ui.Point, error) { return at, errors.Join(a.screen.sync(), pause.For(ctx, long)) })
}

// Drag presses, moves and releases. XTEST always moves the pointer.
func (a *App) Drag(ctx context.Context, m desktop.Move) error {
	return a.press(ctx, m.From, 1, func() (ui.Point, error) {
		last := m.From
		for _, at := range m.Path {
			if err := pause.For(ctx, m.Step); err != nil {
				return last, err
			}
			last = ui.Point{X: math.Round(at.X), Y: math.Round(at.Y)}
			a.screen.fake(motion, 0, last)
			if err := a.screen.sync(); err != nil {
				return last, err
			}
		}
		return last, pause.For(ctx, m.Hold)
	})
}

// mostLines is the maximum number of lines of one scroll.
const mostLines = 1000

// Scroll turns the wheel.
func (a *App) Scroll(ctx context.Context, at ui.Point, dx, dy int) error {
	turn := func(d *display, n int, positive, negative byte) {
		button := positive
		if n < 0 {
			button, n = negative, -n
		}
		for range min(n, mostLines) {
			d.fake(buttonDown, button, at)
			d.fake(buttonUp, button, at)
		}
	}
	return a.down(ctx, at, func(d *display) {
		d.fake(motion, 0, at)
		turn(d, dy, wheelUp, wheelDown)
		turn(d, dx, wheelLeft, wheelRight)
	})
}
