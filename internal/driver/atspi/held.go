package atspi

import (
	"context"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
)

// A program can have the keyboard and the mouse for itself (a grab): all input goes to it then, whatever has the focus and whatever lies
// under the mouse. Menus do so while they are open. The server does not tell which program it is, only that there is one.

// letGoTakes is how long a grab may last that is none of a program that keeps it: while a button is down, or a window manager brings a
// window to the front.
const letGoTakes = 300 * time.Millisecond

// free is a fault when another program has the mouse or the keyboard for itself. The process itself has them while a menu of it is open;
// of one that tells nothing of its windows, such as a game, nobody knows.
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
	what, instead := "mouse", "press it by accessibility where it can be"
	if keyboard {
		what, instead = "keyboard", "set the text of the element instead of typing it"
	}
	return fault.New(fault.NoFocus, "a program has the %s of display %s for itself: input for process %d would go to that one", what,
		a.screen.name, a.pid).WithDispatch(fault.NotDispatched).
		WithHint("close what holds it, such as an open menu or a lock screen, or %s", instead)
}

// held reports whether a program has the mouse or the keyboard for itself. The server says so before it looks at the window that they are
// wanted for: ours is never shown, so that nothing is taken.
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
