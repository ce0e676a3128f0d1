//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
	"unicode/utf16"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
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
	otherDown    = 25
	tapHID       = 0 // kCGHIDEventTap: events of the hardware enter here

	fieldNumber       = 0  // kCGMouseEventNumber
	fieldClicks       = 1  // kCGMouseEventClickState
	fieldDeltaX       = 4  // kCGMouseEventDeltaX
	fieldDeltaY       = 5  // kCGMouseEventDeltaY
	fieldTarget       = 40 // kCGEventTargetUnixProcessID
	fieldWindow       = 51 // undocumented: AppKit reads it as the number of the event's window
	fieldUnder        = 91 // kCGMouseEventWindowUnderMousePointer
	fieldUnderHandles = 92 // kCGMouseEventWindowUnderMousePointerThatCanHandleThisEvent
)

// textUnits is the number of UTF-16 units in one event; macOS drops the rest.
const textUnits = 20

// input is one input of the mouse or the keyboard: it posts events to the process, so that the user's pointer stays where it is.
type input struct {
	*App
	ctx     context.Context
	source  ref
	window  *window  // under the first point
	number  int64    // of the press, its drags and its release
	pointer *cgPoint // where the user's pointer is, for an input that moves it; nil for others
}

// press begins a press: AppKit ignores a drag or a release whose number differs from the number of the press.
func (in *input) press() { in.number = in.lib.nextPress() }

// mostPresses is the largest number of a press: the event record has 15 bits for it.
const mostPresses = 1<<15 - 1

// nextPress returns the number of a new press. macOS 27 accepts a number only if it is new and not far above its own count of presses.
func (l *library) nextPress() int64 {
	var own int64
	for _, kind := range []uint32{leftDown, rightDown, otherDown} {
		own += int64(l.counter(stateHID, kind))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.presses = max(l.presses, own) + 1
	return (l.presses-1)%mostPresses + 1
}

// send posts the events of one input. Without the permission macOS drops them silently, so send checks it first.
func (a *App) send(ctx context.Context, fn func(in *input) error) error {
	return a.do(ctx, func() error {
		if err := a.options.errNotOurs(a.pid); err != nil {
			return err
		}
		if !a.lib.trusted(0) {
			return a.lib.errUntrusted()
		}
		if err := a.lib.present(); err != nil {
			return err
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
	return fault.New(fault.ToolFailed, "macOS cannot create an event").WithHint("log in again at this Mac's screen").
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
	if in.pointer == nil {
		in.address(e, at)
		in.lib.post(int32(in.pid), e)
		return nil
	}
	for field, delta := range map[uint32]float64{fieldDeltaX: at.X - in.pointer.X, fieldDeltaY: at.Y - in.pointer.Y} {
		in.lib.setField(e, field, int64(math.Round(delta))) // macOS takes a drag without a delta for a mouse that stands still
		in.lib.setDouble(e, field, delta)
	}
	in.lib.postAll(tapHID, e)
	*in.pointer = cgPoint(at)
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
	return a.send(ctx, func(in *input) error {
		in.aim(at)
		return in.drag(desktop.Move{From: at, Hold: long})
	})
}

// Drag drags with the user's pointer: AppKit begins no drag for events that are posted to a process. The pointer returns to its place.
func (a *App) Drag(ctx context.Context, m desktop.Move) error {
	if !m.Pointer {
		return fault.New(fault.Unsupported, "macOS starts no drag by input that is sent to one process").
			WithHint("set %s: the drag then moves the user's mouse pointer, and puts it back", hint.Field("pointer")).
			WithDispatch(fault.NotDispatched)
	}
	m.Hold = max(m.Hold, a.options.Drop)
	return a.send(ctx, func(in *input) error {
		if err := in.activate(); err != nil {
			return err
		}
		if err := in.exposed(append([]ui.Point{m.From}, m.Path...)); err != nil {
			return err
		}
		now := in.lib.currentEvent(0)
		if now == 0 {
			return errNoEvent()
		}
		defer in.lib.release(now)
		was := in.lib.location(now)
		in.pointer = new(was)
		return cmp.Or(in.drag(m), in.mouse(mouseMoved, ui.Point(was), buttonLeft, 0))
	})
}

// drag presses, moves, and releases at the current point. The release happens even when ctx ends before.
func (in *input) drag(m desktop.Move) error {
	if err := in.mouse(mouseMoved, m.From, buttonLeft, 0); err != nil {
		return err
	}
	in.press()
	if err := in.mouse(leftDown, m.From, buttonLeft, 1); err != nil {
		return err
	}
	at, err := m.From, in.pause(in.options.Press)
	for _, p := range m.Path {
		if err == nil {
			err = in.pause(m.Step)
		}
		if err == nil {
			err = in.mouse(leftDragged, p, buttonLeft, 1)
		}
		if err != nil {
			break
		}
		at = p
	}
	if err == nil {
		err = in.pause(m.Hold)
	}
	return cmp.Or(err, in.mouse(leftUp, at, buttonLeft, 1))
}

// dock is the layer of the Dock. Windows of programs are below it; cursors, menus and marks of the system are above, and most of them let
// clicks through.
const dock = 20

// exposed returns a fault unless the process's own windows are in front at both ends of a way: the pointer reaches whatever is there.
func (in *input) exposed(way []ui.Point) error {
	refused := fault.New(fault.ElementUnhittable, "process %d shows no window at both ends of the drag", in.pid)
	own := func(at ui.Point) bool {
		all := slices.DeleteFunc(in.lib.list(listOnScreen|listWithoutDesktop), func(w window) bool {
			return w.layer >= dock || !w.bounds.Contains(at)
		})
		if len(all) > 0 && all[0].pid != in.pid {
			refused = fault.New(fault.ElementUnhittable, "a window of %s covers process %d at %g, %g", ui.Quote(all[0].owner), in.pid, at.X, at.Y)
		}
		return len(all) > 0 && all[0].pid == in.pid
	}
	if is, err := in.soon(func() bool { return own(way[0]) && own(way[len(way)-1]) }); is || err != nil {
		return err
	}
	return refused.WithHint("move the window that covers the app away").WithDispatch(fault.NotDispatched)
}

// soon waits until something is so, for at most Options.Activate.
func (in *input) soon(is func() bool) (so bool, err error) {
	const poll = 10 * time.Millisecond
	for range in.options.Activate / poll {
		if is() {
			return true, nil
		}
		if err := in.pause(poll); err != nil {
			return false, err
		}
	}
	return is(), nil
}

// activate makes the process the active one, unless it is: macOS drops keys that are posted to another.
func (in *input) activate() error {
	if in.frontmost() {
		return nil
	}
	in.lib.setAttribute(in.root, in.lib.name("AXFrontmost"), in.lib.booleanTrue) // some apps obey and answer an error
	seen := 0
	is, err := in.soon(func() bool {
		if seen++; !in.frontmost() {
			seen = 0
		}
		return seen == 2 // one answer may come from the middle of the change
	})
	if is || err != nil {
		return err
	}
	return fault.New(fault.NoFocus, "process %d does not become the active app: macOS would drop its input", in.pid).
		WithHint("close a dialog of another app that keeps the focus; setting values and pressing buttons need no active app").
		WithDispatch(fault.NotDispatched)
}

// frontmost reports whether the process is the active one, or does not say.
func (a *App) frontmost() bool {
	var value ref
	if a.lib.copyAttribute(a.root, a.lib.name("AXFrontmost"), &value) != axSuccess || value == 0 {
		return true
	}
	defer a.lib.release(value)
	front, said := a.lib.bool(value)
	return front || !said
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
		if err := in.activate(); err != nil {
			return err
		}
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
		if err := in.activate(); err != nil {
			return err
		}
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
