package atspi

import (
	"context"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
)

// A program can grab the keyboard and the mouse: all input then goes to it, whatever has the focus or lies under the mouse. Open menus
// do so. The server does not say which program has the grab, only that there is one.

// letGoTakes is how long a short grab may last: a button is down, or a window manager raises a window.
const letGoTakes = 300 * time.Millisecond

// free returns a fault if another program has grabbed the mouse or the keyboard. An open menu of the process itself does not count; for
// a process that is not on the bus, such as a game, free cannot tell.
func (a *App) free(ctx context.Context, own []xwindow, keyboard bool) error {
	menu := func(w xwindow) bool { return w.override && w.viewable }
	if len(a.names) == 0 || slices.ContainsFunc(own, menu) {
		return nil
	}
	defer a.screen.within(longestX)()
	for until := time.Now().Add(letGoTakes); ; {
		held, err := a.screen.held(keyboard)
		if err != nil || !held {
			return a.display(err)
		}
		if time.Now().After(until) {
			break
		}
		if err := pause.For(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	what, instead := "mouse", "press the element through accessibility if possible"
	if keyboard {
		what, instead = "keyboard", "set the text of the element instead of typing it"
	}
	return fault.New(fault.NoFocus, "another program has grabbed the %s of display %s: it would get the input for process %d", what,
		a.screen.name, a.pid).WithDispatch(fault.NotDispatched).
		WithHint("close the open menu or lock screen that has it, or %s", instead)
}

// held reports whether a program has grabbed the mouse or the keyboard. The server answers that before it checks the window of the
// request: the blank window is never shown, so that a request never succeeds.
func (d *display) held(keyboard bool) (bool, error) {
	blank, err := d.unseen()
	if err != nil {
		return false, err
	}
	const async = xproto.GrabModeAsync
	if keyboard {
		reply, err := xproto.GrabKeyboard(d.conn, false, blank, xproto.TimeCurrentTime, async, async).Reply()
		return err == nil && reply.Status == xproto.GrabStatusAlreadyGrabbed, err
	}
	reply, err := xproto.GrabPointer(d.conn, false, blank, 0, async, async, 0, 0, xproto.TimeCurrentTime).Reply()
	return err == nil && reply.Status == xproto.GrabStatusAlreadyGrabbed, err
}
