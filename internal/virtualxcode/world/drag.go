package world

import (
	"context"
	"math"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// Maximum time and distance between taps of a multiple tap.
const (
	doubleTapTime = 350 * time.Millisecond
	doubleTapNear = 30.0
)

// liftTime is how long a finger must rest on an element before it can drag it.
const liftTime = 500 * time.Millisecond

// tapMark is the last tap.
type tapMark struct {
	at    time.Time
	where Point
	count int
}

// inARow counts consecutive taps at a place.
func (d *device) inARow(at Point, now time.Time) int {
	last := d.lastTap
	near := math.Hypot(at.X-last.where.X, at.Y-last.where.Y) <= doubleTapNear
	if last.count > 0 && near && under(last.at, now, doubleTapTime) {
		d.lastTap = tapMark{now, at, last.count + 1}
	} else {
		d.lastTap = tapMark{now, at, 1}
	}
	return d.lastTap.count
}

// DoubleTap taps twice in a row.
func (w *World) DoubleTap(ctx context.Context, udid string, at Point) error {
	if err := w.Tap(ctx, udid, at); err != nil {
		return err
	}
	return w.Tap(ctx, udid, at)
}

// Pinch moves two fingers on a device's screen around a point: scale is the ratio of their distances at the end and at the beginning.
func (w *World) Pinch(ctx context.Context, udid string, at Point, scale float64, took time.Duration) error {
	return w.act(ctx, udid, took, func(d *device, now time.Time) error {
		f := finger{gesture: pinched, now: now, from: at, to: at, took: took, scale: scale}
		d.note(InputPinch, f)
		d.touch(f)
		return nil
	})
}

// Carry is a finger that rests, moves, and rests again.
type Carry struct {
	From, To           Point
	Press, Took, Holds time.Duration
}

// stillTime is how long a finger must rest at the end so that the content does not glide.
const stillTime = 50 * time.Millisecond

// Drag rests a finger at a point and then moves it. It drags a draggable element; other elements take it as a swipe.
func (w *World) Drag(ctx context.Context, udid string, c Carry) error {
	return w.act(ctx, udid, c.Press+c.Took+c.Holds, func(d *device, now time.Time) error {
		f := finger{gesture: dragged, now: now, from: c.From, to: c.To, took: c.Took, rests: c.Holds >= stillTime}
		if c.Press < liftTime {
			f.gesture = swiped
		}
		d.note(InputDrag, f)
		d.touch(f)
		return nil
	})
}

// SetValue gives the control at a point a value, like XCUIElement.adjust: a wheel one of its rows, a slider a share such as 70%, a
// switch 0 or 1, a field a text.
func (w *World) SetValue(ctx context.Context, udid string, at Point, value string) error {
	return w.act(ctx, udid, tapCost, func(d *device, now time.Time) error {
		f := finger{now: now, from: at, to: at}
		v, met := d.topView(f), d.meets(InputValue, f)
		path := topmost(v.root, at)
		for i := len(path) - 1; i >= 0; i-- {
			if take := v.takes[path[i]]; take != nil && take(value, f) {
				d.inputs.add(met)
				d.advance(now)
				return nil
			}
		}
		return cannotSet(value)
	})
}

// carry is the dragged value.
type carry struct{ text string }

// movable makes e draggable and a drop target, according to def.
func (l layout) movable(def *app.Element, e *Element) {
	if def.Drag != "" {
		l.view.carries[e] = carry{def.Drag.Expand(l.Values)}
	}
	if def.Drop != nil {
		l.view.drops[e] = func(c carry, f finger) {
			l.Values.Assign(def.Drop.Into, c.text)
			l.use(def.Drop.Do, f.now)
		}
	}
}

// dragAndDrop drags the element at the end of a path to the finger's end, and reports whether the element was draggable. A drop outside
// of any target has no effect.
func (v *view) dragAndDrop(path []*Element, f finger) bool {
	for i := len(path) - 1; i >= 0; i-- {
		c, ok := v.carries[path[i]]
		if !ok {
			continue
		}
		target := topmost(v.root, f.to)
		for j := len(target) - 1; j >= 0; j-- {
			if drop := v.drops[target[j]]; drop != nil {
				drop(c, f)
				break
			}
		}
		return true
	}
	return false
}

// handleWidth is the width of a row's handle.
const handleWidth = 44.0

// order is the order of a list's rows.
func (p *process) order(key string, def *app.Element) []int {
	if kept := p.Orders[key]; len(kept) == len(def.Inner) {
		return kept
	}
	order := make([]int, len(def.Inner))
	for i := range order {
		order[i] = i
	}
	return order
}

// handle is the drag handle of the i-th row of a list: it follows the finger at once.
func (l layout) handle(def *app.Element, key string, i int, heights []float64, cell *Element) *Element {
	f := cell.Frame
	e := &Element{Type: "Image", Label: "Reorder " + l.spoken(cell), Look: Look{Style: "handle"},
		Frame: Rect{X: f.X + f.W - handleWidth, Y: f.Y, W: handleWidth, H: f.H}}
	order := l.order(key, def)
	l.view.acts[e] = func(at finger) bool {
		if at.gesture != swiped {
			return false
		}
		to := rowAt(heights, i, at.to.Y-at.from.Y)
		if to == i {
			return true
		}
		moved := slices.Insert(slices.Delete(slices.Clone(order), i, i+1), to, order[i])
		if l.Orders == nil {
			l.Orders = map[string][]int{}
		}
		l.Orders[key] = moved
		l.use(def.Do, at.now)
		return true
	}
	l.view.carries[e] = carry{l.spoken(cell)}
	return e
}

// rowAt is the index of a row after a move by a distance.
func rowAt(heights []float64, i int, distance float64) int {
	for distance > 0 && i+1 < len(heights) && distance >= heights[i+1]/2 {
		distance -= heights[i+1]
		i++
	}
	for distance < 0 && i > 0 && -distance >= heights[i-1]/2 {
		distance += heights[i-1]
		i--
	}
	return i
}

// spoken is the accessibility label of a row: its first text.
func (l layout) spoken(cell *Element) string {
	for e := range cell.All() {
		if e.Label != "" {
			return e.Label
		}
	}
	return ""
}
