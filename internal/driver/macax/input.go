//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"time"
	"unicode/utf16"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Numbers of CGEventTypes.h and CGEventSource.h.
const (
	stateHID = 1 // kCGEventSourceStateHIDSystemState

	leftDown     = 1
	leftUp       = 2
	rightDown    = 3
	rightUp      = 4
	mouseMoved   = 5
	leftDragged  = 6
	buttonLeft   = 0
	buttonRight  = 1
	unitLine     = 1       // kCGScrollEventUnitLine
	keypadFlag   = 1 << 21 // kCGEventFlagMaskNumericPad
	functionFlag = 1 << 23 // kCGEventFlagMaskSecondaryFn

	fieldClicks       = 1  // kCGMouseEventClickState
	fieldTarget       = 40 // kCGEventTargetUnixProcessID
	fieldWindow       = 51 // in no header: what AppKit takes for the number of the event's window
	fieldUnder        = 91 // kCGMouseEventWindowUnderMousePointer
	fieldUnderHandles = 92 // kCGMouseEventWindowUnderMousePointerThatCanHandleThisEvent
)

// textUnits are the units of UTF-16 that one event can carry; macOS drops what is beyond.
const textUnits = 20

// input is one input of the mouse or the keyboard: it posts events to the process, so that neither the pointer nor the focus of the user
// moves.
type input struct {
	*App
	ctx    context.Context
	source ref
	window *window // under the first point
}

// send posts the events of one input. Without the permission macOS drops them and says nothing, so it is asked for before.
func (a *App) send(ctx context.Context, fn func(in *input) error) error {
	return a.do(ctx, func() error {
		if err := a.options.errNotOurs(a.pid); err != nil {
			return err
		}
		if !a.lib.trusted(0) {
			return errUntrusted()
		}
		in := &input{App: a, ctx: ctx, source: a.lib.sourceCreate(stateHID)}
		if in.source == 0 {
			return errNoEvent()
		}
		defer a.lib.release(in.source)
		return fn(in)
	})
}

func errNoEvent() *fault.Fault {
	return fault.New(fault.ToolFailed, "macOS makes no event").WithHint("is a user logged in at this Mac's screen?").
		WithDispatch(fault.NotDispatched)
}

// pause waits between events. Its error says that ctx has ended.
func (in *input) pause(d time.Duration) error { return pause.For(in.ctx, d) }

// aim finds the process's window at a point.
func (in *input) aim(at ui.Point) {
	for _, w := range in.lib.ofProcess(in.pid) {
		if w.bounds.Contains(at) {
			in.window = &w
			return
		}
	}
}

// mouse posts an event of the mouse.
func (in *input) mouse(kind uint32, at ui.Point, button uint32, clicks int64) error {
	e := in.lib.mouseEvent(in.source, kind, at.X, at.Y, button)
	if e == 0 {
		return errNoEvent()
	}
	defer in.lib.release(e)
	in.lib.setFlags(e, 0) // not what the user holds at this moment
	if clicks > 0 {
		in.lib.setField(e, fieldClicks, clicks)
	}
	in.address(e, at)
	in.lib.post(int32(in.pid), e)
	return nil
}

// address says which window an event is for, and where in it. An event that is posted to a process passes by the window server, which
// else finds that out; without it AppKit gives the event to no window.
func (in *input) address(e ref, at ui.Point) {
	in.lib.setField(e, fieldTarget, int64(in.pid))
	if in.window == nil {
		return
	}
	for _, field := range []uint32{fieldWindow, fieldUnder, fieldUnderHandles} {
		in.lib.setField(e, field, int64(in.window.id))
	}
	if in.lib.setWindowLocation != nil {
		in.lib.setWindowLocation(e, at.X-in.window.bounds.X, at.Y-in.window.bounds.Y)
	}
}

// Click presses and lets go. What was pressed is let go also when ctx ends between.
func (a *App) Click(ctx context.Context, at ui.Point, button, times int) error {
	down, up, number := uint32(leftDown), uint32(leftUp), uint32(buttonLeft)
	if button == 3 {
		down, up, number = rightDown, rightUp, buttonRight
	}
	return a.send(ctx, func(in *input) error {
		in.aim(at)
		if err := in.mouse(mouseMoved, at, number, 0); err != nil {
			return err
		}
		for i := 1; i <= times; i++ {
			if err := in.pause(a.options.Pace); err != nil {
				return err
			}
			if err := in.mouse(down, at, number, int64(i)); err != nil {
				return err
			}
			late := in.pause(a.options.Pace)
			if err := in.mouse(up, at, number, int64(i)); err != nil || late != nil {
				return cmp.Or(err, late)
			}
		}
		return nil
	})
}

// Hold presses for a time.
func (a *App) Hold(ctx context.Context, at ui.Point, long time.Duration) error {
	return a.Drag(ctx, at, nil, 0, long)
}

// Drag presses, moves, and lets go where it has come to.
func (a *App) Drag(ctx context.Context, from ui.Point, path []ui.Point, step, hold time.Duration) error {
	return a.send(ctx, func(in *input) error {
		in.aim(from)
		if err := in.mouse(mouseMoved, from, buttonLeft, 0); err != nil {
			return err
		}
		if err := in.mouse(leftDown, from, buttonLeft, 1); err != nil {
			return err
		}
		at, err := from, error(nil)
		for _, p := range path {
			if err = in.pause(step); err != nil {
				break
			}
			if err = in.mouse(leftDragged, p, buttonLeft, 1); err != nil {
				break
			}
			at = p
		}
		if err == nil {
			err = in.pause(hold)
		}
		return cmp.Or(err, in.mouse(leftUp, at, buttonLeft, 1))
	})
}

// Scroll turns the wheel, after the pointer has come to the point.
func (a *App) Scroll(ctx context.Context, at ui.Point, dx, dy int) error {
	return a.send(ctx, func(in *input) error {
		in.aim(at)
		if err := in.mouse(mouseMoved, at, buttonLeft, 0); err != nil {
			return err
		}
		e := a.lib.scrollEvent(in.source, unitLine, 2, int32(dy), int32(dx), 0)
		if e == 0 {
			return errNoEvent()
		}
		defer a.lib.release(e)
		a.lib.setFlags(e, 0)
		a.lib.setLocation(e, at.X, at.Y)
		in.address(e, at)
		a.lib.post(int32(a.pid), e)
		return nil
	})
}

// Press presses a key with others held.
func (a *App) Press(ctx context.Context, c desktop.Chord, times int) error {
	return a.send(ctx, func(in *input) error {
		for i := range times {
			if i > 0 {
				if err := in.pause(a.options.Pace); err != nil {
					return err
				}
			}
			if err := in.stroke(c.Key.MacCode(), uint64(c.Modifiers), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// Type types a text as it is, whatever the keyboard's layout. Return and tab are keys: as texts, fields do not take them for keys.
func (a *App) Type(ctx context.Context, text string) error {
	return a.send(ctx, func(in *input) error {
		for i, s := range strokes(text) {
			if i > 0 {
				if err := in.pause(a.options.Pace); err != nil {
					return err
				}
			}
			if err := in.stroke(s.key.MacCode(), 0, s.text); err != nil {
				return err
			}
		}
		return nil
	})
}

// stroke presses a key and lets it go, whatever becomes of ctx.
func (in *input) stroke(key uint16, flags uint64, text []uint16) error {
	for _, down := range []bool{true, false} {
		e := in.lib.keyEvent(in.source, key, down)
		if e == 0 {
			return errNoEvent()
		}
		in.lib.setFlags(e, flags|in.lib.flags(e)&(keypadFlag|functionFlag)) // those two belong to the key
		if text != nil {
			in.lib.setText(e, uint(len(text)), text)
		}
		in.lib.post(int32(in.pid), e)
		in.lib.release(e)
	}
	return nil
}

// stroke is a key, or a text in the place of one.
type stroke struct {
	key  desktop.Key
	text []uint16
}

// strokes splits a text into what one event can carry. No character is split.
func strokes(text string) (all []stroke) {
	var units []uint16
	flush := func() {
		if len(units) > 0 {
			all, units = append(all, stroke{"a", units}), nil // a is key 0, the code of which nobody reads beside a text
		}
	}
	keys := map[rune]desktop.Key{'\n': "return", '\r': "return", '\t': "tab"}
	var last rune
	for _, r := range text {
		key, is := keys[r]
		switch {
		case r == '\n' && last == '\r': // one end of a line
		case is:
			flush()
			all = append(all, stroke{key: key})
		default:
			if len(units)+max(utf16.RuneLen(r), 1) > textUnits {
				flush()
			}
			units = utf16.AppendRune(units, r)
		}
		last = r
	}
	flush()
	return all
}
