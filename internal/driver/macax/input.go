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

// Numbers from CGEventTypes.h and CGEventSource.h.
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

	fieldNumber       = 0  // kCGMouseEventNumber
	fieldClicks       = 1  // kCGMouseEventClickState
	fieldTarget       = 40 // kCGEventTargetUnixProcessID
	fieldWindow       = 51 // undocumented: AppKit reads it as the number of the event's window
	fieldUnder        = 91 // kCGMouseEventWindowUnderMousePointer
	fieldUnderHandles = 92 // kCGMouseEventWindowUnderMousePointerThatCanHandleThisEvent
)

// textUnits is the number of UTF-16 units in one event; macOS drops the rest.
const textUnits = 20

// input is one input of the mouse or the keyboard: it posts events to the process, so that the user's pointer and focus stay where they
// are.
type input struct {
	*App
	ctx    context.Context
	source ref
	window *window // under the first point
	number int64   // of the press, its drags and its release
}

// AppKit ignores a drag or a release whose number differs from the number of the press. The event record has 15 bits for it. Numbers of
// the system's own presses count from 1 after a login; ours begin far above.
const (
	firstNumber = 1 << 14
	lastNumber  = 1<<15 - 1
)

// press begins a press: the events of the mouse until its release have one number.
func (in *input) press() {
	in.number = firstNumber + (in.presses.Add(1)-1)%(lastNumber-firstNumber+1)
}

// send posts the events of one input. Without the permission macOS drops them silently, so send checks it first.
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
	return fault.New(fault.ToolFailed, "macOS cannot create an event").WithHint("log a user in at this Mac's screen").
		WithDispatch(fault.NotDispatched)
}

// pause waits between events. Its error means that ctx has ended.
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
	in.lib.setFlags(e, 0) // ignore the keys that the user holds at this moment
	if clicks > 0 {
		in.lib.setField(e, fieldClicks, clicks)
		in.lib.setField(e, fieldNumber, in.number)
	}
	in.address(e, at)
	in.lib.post(int32(in.pid), e)
	return nil
}

// address writes an event's window and its point in the window. The window server, which does that for other events, does not see an
// event that is posted to a process; without a window AppKit drops the event.
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

// Click presses and releases. The release happens even when ctx ends in between.
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
			in.press()
			if err := in.mouse(down, at, number, int64(i)); err != nil {
				return err
			}
			late := in.pause(a.options.Press)
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

// Drag presses, moves, and releases at the current point.
func (a *App) Drag(ctx context.Context, from ui.Point, path []ui.Point, step, hold time.Duration) error {
	return a.send(ctx, func(in *input) error {
		in.aim(from)
		if err := in.mouse(mouseMoved, from, buttonLeft, 0); err != nil {
			return err
		}
		in.press()
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

// Scroll turns the wheel, after it has moved the pointer to the point.
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

// Press presses a key together with others.
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

// Type types a text as it is, whatever the keyboard's layout. Return and tab are sent as keys, because fields ignore them as text.
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

// stroke presses and releases a key, even when ctx ends.
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

// stroke is a key, or a text instead of one.
type stroke struct {
	key  desktop.Key
	text []uint16
}

// strokes splits a text into parts for one event each. It never splits a character.
func strokes(text string) (all []stroke) {
	var units []uint16
	flush := func() {
		if len(units) > 0 {
			all, units = append(all, stroke{"a", units}), nil // a is key 0, whose code has no effect with a text
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
