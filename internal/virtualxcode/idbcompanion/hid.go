package idbcompanion

import (
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/virtualxcode/hid"
	"ios-agent/internal/virtualxcode/world"
)

const (
	longTouch = 500 * time.Millisecond // the duration from which a touch is a long press
	carried   = 100 * time.Millisecond // a finger that rests this long before it moves drags the element under it
	slack     = 4.0                    // maximum movement of a tap, in points
)

// hands are the finger and the keys of one stream.
type hands struct {
	*call
	down  bool
	path  []mark
	now   time.Duration // since the finger came down
	keys  []int         // held keys
	board hid.Device
}

// mark is the finger's place at one time.
type mark struct {
	at   world.Point
	when time.Duration
}

// hid carries out inputs in order of arrival.
func (c *call) hid() error {
	h := &hands{call: c, board: hid.Device{World: c.opts.World, UDID: c.opts.UDID}}
	for {
		var e idbwire.HIDEvent
		err := c.next(&e)
		if errors.Is(err, io.EOF) {
			return c.say(&idbwire.Empty{})
		}
		if err == nil {
			err = h.take(&e)
		}
		if err != nil {
			return err
		}
	}
}

func (h *hands) take(e *idbwire.HIDEvent) error {
	w, udid := h.opts.World, h.opts.UDID
	switch {
	case e.Press != nil:
		return h.press(e.Press)
	case e.Swipe != nil:
		return w.Swipe(h.ctx, udid, h.touched(e.Swipe.Start), h.touched(e.Swipe.End), seconds(e.Swipe.Duration))
	case e.Delay != nil && h.down:
		h.now += seconds(e.Delay.Duration)
		return nil
	case e.Delay != nil:
		return w.Sleep(h.ctx, seconds(e.Delay.Duration))
	case e.Pinch != nil:
		return w.Pinch(h.ctx, udid, h.touched(e.Pinch.Center), e.Pinch.Scale, seconds(e.Pinch.Duration))
	case e.Orientation != nil:
		return h.turn(e.Orientation.Orientation)
	}
	return invalid("Unrecognized request.event")
}

func (h *hands) turn(to idbwire.Orientation) error {
	side, known := map[idbwire.Orientation]world.Orientation{
		idbwire.Portrait: world.Portrait, idbwire.PortraitUpsideDown: world.PortraitUpsideDown,
		idbwire.LandscapeLeft: world.LandscapeRight, idbwire.LandscapeRight: world.LandscapeLeft, // the interface's orientation
	}[to]
	if !known {
		return invalid("Unrecognized orientation type")
	}
	return h.opts.World.Rotate(h.ctx, h.opts.UDID, side)
}

// touched converts a point on the panel to a point on the screen: the panel does not turn with the device.
func (h *hands) touched(p *idbwire.Point) world.Point {
	at := pointOf(p)
	d, err := h.opts.World.Find(h.opts.UDID)
	if err != nil || d.Screen.Width <= d.Screen.Height {
		return at
	}
	if d.Orientation == world.LandscapeLeft { // its top is on the left
		return world.Point{X: at.Y, Y: d.Screen.Height - at.X}
	}
	return world.Point{X: d.Screen.Width - at.Y, Y: at.X}
}

func pointOf(p *idbwire.Point) world.Point {
	if p == nil {
		return world.Point{}
	}
	return world.Point{X: p.X, Y: p.Y}
}

func seconds(n float64) time.Duration { return time.Duration(max(n, 0) * float64(time.Second)) }

func (h *hands) press(p *idbwire.HIDPress) error {
	switch up := p.Direction == idbwire.Up; {
	case p.Action == nil:
	case p.Action.Touch != nil && up:
		return h.lift()
	case p.Action.Touch != nil:
		h.down, h.path = true, append(h.path, mark{h.touched(p.Action.Touch.Point), h.now})
		return nil
	case p.Action.Key != nil:
		return h.key(int(p.Action.Key.Keycode), up)
	case p.Action.Button != nil && (up || p.Action.Button.Button > idbwire.Siri):
		return nil
	case p.Action.Button != nil && p.Action.Button.Button == idbwire.Home:
		return h.board.Home(h.ctx)
	case p.Action.Button != nil:
		return h.board.Button(h.ctx)
	}
	return invalid("Unrecognized press.action")
}

// firstHeld is the usage of the first modifier key.
const firstHeld = 224

func (h *hands) key(code int, up bool) error {
	switch {
	case code < firstHeld && up:
		return nil
	case code < firstHeld:
		return h.board.Press(h.ctx, code, h.keys...)
	case up:
		h.keys = slices.DeleteFunc(h.keys, func(k int) bool { return k == code })
	default:
		h.keys = append(h.keys, code)
	}
	return nil
}

// lift turns the finger's movement into a tap, a long press, a swipe or a drag.
func (h *hands) lift() error {
	w, udid, path, end := h.opts.World, h.opts.UDID, h.path, h.now
	h.down, h.path, h.now = false, nil, 0
	if len(path) == 0 {
		return nil
	}
	from, to := path[0], path[len(path)-1]
	moved := slices.IndexFunc(path, func(m mark) bool { return apart(m.at, from.at) > slack })
	if moved < 0 {
		if end >= longTouch {
			return w.LongPress(h.ctx, udid, from.at, end)
		}
		return w.Tap(h.ctx, udid, from.at)
	}
	press, holds := path[max(moved-1, 0)].when, end-to.when
	if moved > 0 && moved < len(path) && path[moved].when > 0 { // it rested until the step before the first movement
		press = path[moved].when
	}
	if press >= carried || holds > 0 {
		return w.Drag(h.ctx, udid, world.Carry{From: from.at, To: to.at, Press: press, Took: to.when - press, Holds: holds})
	}
	return w.Swipe(h.ctx, udid, from.at, to.at, to.when)
}

func apart(a, b world.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
