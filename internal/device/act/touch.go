package act

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// with makes an input from a function that needs an ability of the device.
func with[Ability any](s Step, send func(ctx context.Context, able Ability, a aim, r *Report) error) input {
	return func(ctx context.Context, a aim, r *Report) error {
		able, err := device.As[Ability](s.Device)
		if err != nil {
			return err
		}
		return send(ctx, able, a, r)
	}
}

// Tap taps the element of the query.
func (s Step) Tap(ctx context.Context, how How, q ui.Query) (Report, error) {
	return s.onElement(ctx, how, q, device.Touch.Tap)
}

func (s Step) onElement(ctx context.Context, how How, q ui.Query, do func(device.Touch, context.Context, ui.Point) error) (Report, error) {
	return s.perform(ctx, how, q, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		r.finger = true
		return do(t, ctx, a.At)
	}))
}

// TapAt taps a spot.
func (s Step) TapAt(ctx context.Context, how How, at Spot) (Report, error) {
	return s.onPoint(ctx, how, at, func(ctx context.Context, t device.Touch, at ui.Point) error { return t.Tap(ctx, at) })
}

// DoubleTap taps the element of the query twice, quickly.
func (s Step) DoubleTap(ctx context.Context, how How, q ui.Query) (Report, error) {
	return s.onElement(ctx, how, q, device.Touch.DoubleTap)
}

// DoubleTapAt taps a point twice, quickly.
func (s Step) DoubleTapAt(ctx context.Context, how How, at ui.Point) (Report, error) {
	return s.onPoint(ctx, how, Spot{Point: at}, func(ctx context.Context, t device.Touch, at ui.Point) error { return t.DoubleTap(ctx, at) })
}

// LongPress holds a finger on the element of the query.
func (s Step) LongPress(ctx context.Context, how How, q ui.Query, long time.Duration) (Report, error) {
	return s.onElement(ctx, how, q, func(t device.Touch, ctx context.Context, at ui.Point) error { return t.LongPress(ctx, at, long) })
}

// PressAt holds a finger on a point.
func (s Step) PressAt(ctx context.Context, how How, at ui.Point, long time.Duration) (Report, error) {
	return s.onPoint(ctx, how, Spot{Point: at}, func(ctx context.Context, t device.Touch, at ui.Point) error {
		return t.LongPress(ctx, at, long)
	})
}

func (s Step) onPoint(ctx context.Context, how How, spot Spot, do func(context.Context, device.Touch, ui.Point) error) (Report, error) {
	return s.perform(ctx, how, ui.Query{}, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		at, err := spot.on(a.screen.Viewport())
		if err != nil {
			return err
		}
		r.At, r.Method = at, "point"
		return do(ctx, t, at)
	}))
}

// within fails when a start or end point of a finger is off the screen. A finger may end on the edge.
func within(screen *ui.Screen, points ...ui.Point) error {
	view := screen.Viewport()
	for _, at := range points {
		if at.X < view.X || at.Y < view.Y || at.X > view.X+view.W || at.Y > view.Y+view.H {
			return offTheScreen(at, view)
		}
	}
	return nil
}

// Swipe says how a finger moves across an element or the screen. The content follows the finger.
type Swipe struct {
	Direction string  // direction of the finger: up, down, left or right
	Distance  float64 // share of the element or the screen; 0 is usualSwipe
	Took      time.Duration
	From, To  *ui.Point // points instead of a direction
}

// Swipe swipes over the element of the query, or over the screen if the query is empty.
func (s Step) Swipe(ctx context.Context, how How, q ui.Query, w Swipe) (Report, error) {
	return s.perform(ctx, how, q, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		from, to, err := w.path(a)
		if err != nil {
			return err
		}
		r.At, r.Method = from, "swipe"
		return t.Swipe(ctx, from, to, w.Took)
	}))
}

// path is the start and end of the finger: within the element and away from the screen edges, where swipes belong to the system.
func (w Swipe) path(a aim) (from, to ui.Point, err error) {
	if w.From != nil && w.To != nil {
		return *w.From, *w.To, within(a.screen, *w.From, *w.To)
	}
	area := a.screen.Viewport().Inset(edge)
	if a.node != nil {
		area = area.Intersect(a.node.Seen())
	}
	if a.node == nil && (w.Direction == "up" || w.Direction == "down") {
		area = scrolling(a.screen, area)
	}
	share := w.Distance
	if share == 0 {
		share = usualSwipe
	}
	c := area.Centre()
	dx, dy := area.W*share/2, area.H*share/2
	switch w.Direction {
	case "up":
		return ui.Point{X: c.X, Y: c.Y + dy}, ui.Point{X: c.X, Y: c.Y - dy}, nil
	case "down":
		return ui.Point{X: c.X, Y: c.Y - dy}, ui.Point{X: c.X, Y: c.Y + dy}, nil
	case "left":
		return ui.Point{X: c.X + dx, Y: c.Y}, ui.Point{X: c.X - dx, Y: c.Y}, nil
	case "right":
		return ui.Point{X: c.X - dx, Y: c.Y}, ui.Point{X: c.X + dx, Y: c.Y}, nil
	}
	return from, to, noDirection(w.Direction)
}

// scrolling is the area where a vertical swipe scrolls: the screen if most of it scrolls, otherwise its first list.
func scrolling(screen *ui.Screen, area ui.Rect) ui.Rect {
	lists := screen.Scrollers(nil)
	for _, list := range lists {
		if seen := open(screen, list); seen.Intersect(area).H >= area.H*usualSwipe && seen.Y+seen.H >= area.Y+area.H {
			return area
		}
	}
	for _, list := range lists {
		if seen := open(screen, list).Intersect(area); seen.H >= thinnest && seen.W >= thinnest {
			return seen
		}
	}
	return area
}

func noDirection(word string) error {
	return fault.New(fault.InvalidInput, "unknown direction %q", word).WithHint("up, down, left or right").WithDispatch(fault.NotDispatched)
}

const (
	edge       = 40  // distance from the screen edges where no swipe starts or ends, in points
	usualSwipe = 0.6 // share of the width or height
)

// ElementDrag says which element is dragged, and onto which element or to which point.
type ElementDrag struct {
	Element ui.Query
	Onto    ui.Query
	To      *ui.Point   // a point, instead of Onto
	From    *ui.Point   // a point, instead of Element
	Finger  device.Drag // timing of the drag; the step sets its From and To
}

// Drag drags an element onto another one or to a point.
func (s Step) Drag(ctx context.Context, how How, e ElementDrag) (Report, error) {
	return s.perform(ctx, how, e.Element, with(s, func(ctx context.Context, g device.Dragging, a aim, r *Report) error {
		d := e.Finger
		d.From = a.At
		if e.From != nil {
			if err := within(a.screen, *e.From); err != nil {
				return err
			}
			d.From, r.At = *e.From, *e.From
		}
		if e.To != nil {
			if err := within(a.screen, *e.To); err != nil {
				return err
			}
			d.To = *e.To
		} else {
			goal, _, err := s.find(e.Onto, a.screen)
			if err != nil {
				return err
			}
			if !goal.Visible() {
				return fault.New(fault.ElementUnhittable, "cannot drop on %s: it is off the screen", goal.Describe()).
					WithDispatch(fault.NotDispatched)
			}
			d.To = goal.Seen().Centre()
		}
		r.Method = fmt.Sprintf("drag to %g, %g", d.To.X, d.To.Y)
		return g.Drag(ctx, d)
	}))
}

// Pinch moves two fingers apart or together on the element of the query, or in the middle of the screen.
func (s Step) Pinch(ctx context.Context, how How, q ui.Query, scale float64) (Report, error) {
	return s.perform(ctx, how, q, with(s, func(ctx context.Context, g device.Pinching, a aim, r *Report) error {
		if a.node == nil {
			r.At = a.screen.Viewport().Centre()
		}
		r.Method = "pinch"
		return g.Pinch(ctx, r.At, scale)
	}))
}

// PinchAt is Pinch around a point.
func (s Step) PinchAt(ctx context.Context, how How, at ui.Point, scale float64) (Report, error) {
	return s.perform(ctx, how, ui.Query{}, with(s, func(ctx context.Context, g device.Pinching, a aim, r *Report) error {
		if err := within(a.screen, at); err != nil {
			return err
		}
		r.At, r.Method = at, "pinch"
		return g.Pinch(ctx, at, scale)
	}))
}

// Press presses a hardware button. The app need not be running.
func (s Step) Press(ctx context.Context, button string, hold time.Duration, times int) (Report, error) {
	return s.perform(ctx, How{NoWait: true, Blind: true}, ui.Query{},
		with(s, func(ctx context.Context, b device.Buttons, _ aim, r *Report) error {
			r.Method = "button"
			var sent sent
			for range times {
				if err := sent.input(b.Press(ctx, button, hold)); err != nil {
					return sent.fail(err)
				}
			}
			return nil
		}))
}

// Rotate turns the device.
func (s Step) Rotate(ctx context.Context, to string) (Report, error) {
	return s.perform(ctx, How{NoWait: true, Blind: true}, ui.Query{},
		with(s, func(ctx context.Context, d device.Rotation, _ aim, r *Report) error {
			r.Method = "rotate"
			return d.Rotate(ctx, to)
		}))
}

// Back goes to the previous screen: with the back button of the topmost navigation bar, with a button that closes the topmost alert or
// sheet, or with a swipe from the left edge.
func (s Step) Back(ctx context.Context, how How) (Report, error) {
	return s.perform(ctx, how, ui.Query{}, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		if back := a.screen.BackButton(); back != nil {
			reach, err := s.reach(a.screen, back)
			if err == nil {
				r.Target, r.At, r.Method = back, reach.At, "back button"
				_, r.Ref, _ = s.find(ui.Query{Identifier: back.Identifier, Label: back.Label, Type: back.Type}, a.screen)
				return t.Tap(ctx, reach.At)
			}
		}
		view := a.screen.Viewport()
		from, to := ui.Point{X: view.X + 1, Y: view.Y + view.H/2}, ui.Point{X: view.X + view.W*0.8, Y: view.Y + view.H/2}
		r.At, r.Method = from, "edge swipe"
		return t.Swipe(ctx, from, to, 300*time.Millisecond)
	}))
}
