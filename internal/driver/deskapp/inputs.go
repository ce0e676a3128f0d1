package deskapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var (
	_ device.Touch    = (*process)(nil)
	_ device.Dragging = (*process)(nil)
	_ device.Adjust   = (*process)(nil)
	_ device.Keyboard = (*process)(nil)
	_ device.Filler   = (*process)(nil)
	_ device.Caret    = (*process)(nil)
	_ device.Guarding = (*process)(nil)
	_ device.Pointing = (*process)(nil)
)

// GuardsInputs reports that inputs check their target.
func (*process) GuardsInputs() {}

// HasMouse reports that a drag uses the mouse.
func (*process) HasMouse() {}

// target is the target of an input.
type target struct {
	node  *desktop.Node // nil: a point only
	at    ui.Point
	whole bool // the point is the element's own, not that of an element in it
}

// input checks the guard, sends an input and reads the windows after it. fresh makes it read the windows again even without an event,
// because the pointer needs the element's current place.
func (p *process) input(ctx context.Context, at ui.Point, fresh bool, send func(desktop.Performer, target) (string, error)) error {
	guard := device.TakeGuard(ctx)
	t := target{at: at}
	if guard != nil && guard.Aim != nil {
		var err error
		if t, err = p.aimed(ctx, guard, at, fresh); err != nil {
			return err
		}
	}
	before, _ := p.last()
	method, err := send(p.Performer(), t)
	if err = refused(err); err != nil {
		return err
	}
	p.done(ctx, guard, method, before)
	return nil
}

// Do performs an action on an element of the last look and reads the windows after it.
func (p *process) Do(ctx context.Context, one func(desktop.Performer) (string, error)) (method string, err error) {
	guard := device.TakeGuard(ctx)
	before, _ := p.last()
	if method, err = one(p.Performer()); err == nil {
		p.done(ctx, guard, method, before)
	}
	return method, err
}

// done records how an input was done, and reads the windows after it if its guard asks for that. If reading fails, read again.
func (p *process) done(ctx context.Context, guard *device.Guard, method string, before look) {
	device.GuardOf(ctx).Method = method
	if guard == nil || guard.After.Stable == 0 {
		return
	}
	w := guard.After
	w.Depth = guard.Depth
	if before.screen != nil {
		w.Unlike = before.screen.Digest
	}
	if seen, err := p.Observe(ctx, w); err == nil {
		guard.Seen = seen
	}
}

// aimed finds the element of a guard now, by its identity and not by its former place.
func (p *process) aimed(ctx context.Context, g *device.Guard, at ui.Point, fresh bool) (target, error) {
	look := p.present
	if fresh {
		look = p.see
	}
	key := g.Aim.Key
	now, err := look(ctx, g.Depth)
	if err != nil {
		return target{}, fault.From(err).WithDispatch(fault.NotDispatched)
	}
	n := now.tree.ByKey(key)
	switch {
	case n != nil && !fresh && !writable(n) && !slices.Contains(n.Actions, desktop.Press): // the mouse will point at it
		return p.aimed(ctx, g, at, true)
	case n == nil:
		return target{}, refusal(fault.RefExpired, g.Aim.Describe()+" is gone")
	case n.Title != g.Aim.Label && n.Title != "" && g.Aim.Label != "": // lists show other rows in the same elements
		return target{}, refusal(fault.RefExpired, fmt.Sprintf("%s is now %s", g.Aim.Describe(), ui.Quote(n.Title)))
	case !n.Enabled && !g.Aim.Disabled:
		return target{}, refusal(fault.ElementUnhittable, g.Aim.Describe()+"  is now disabled")
	case over(now.screen, n) != nil:
		return target{}, refusal(fault.ElementUnhittable, g.Aim.Describe()+" is covered by "+over(now.screen, n).Describe())
	case fresh && now.tree.Over(n, at) != nil:
		over := now.screen.Called(now.tree.Over(n, at).ID)
		return target{}, refusal(fault.ElementUnhittable, g.Aim.Describe()+" is covered by "+over.Describe())
	case fresh && moved(n, g.Aim):
		return target{}, refusal(fault.ElementUnstable, g.Aim.Describe()+" is moving")
	}
	return target{n, at, at == g.At}, nil
}

// over is the element that covers a target, or nil.
func over(s *ui.Screen, n *desktop.Node) *ui.Node {
	shown := s.Called(n.ID)
	if shown == nil {
		return nil
	}
	_, cover := s.Exposed(shown)
	return cover
}

func refusal(code fault.Code, says string) error {
	return &device.RefusedError{Code: code, Cause: errors.New(says)}
}

// moved reports whether an element is more than a point away from its last place.
func moved(n *desktop.Node, was *ui.Node) bool {
	if n.Bounds == nil {
		return !was.Unplaced
	}
	off := func(a, b float64) bool { return math.Abs(a-b) > 1 }
	return off(n.Bounds.X, was.Frame.X) || off(n.Bounds.Y, was.Frame.Y) || off(n.Bounds.W, was.Frame.W) || off(n.Bounds.H, was.Frame.H)
}

// refused is the fault of an input that was not sent, or that may have been sent.
func refused(err error) error {
	var gone *desktop.GoneError
	var cannot *desktop.UnsupportedError
	var no *desktop.Refusal
	var already *device.RefusedError
	var beyond *desktop.RangeError
	switch {
	case errors.As(err, &beyond):
		return fault.New(fault.InvalidInput, "%w", err).WithDispatch(fault.NotDispatched).
			WithHint("give a value from %g to %g", beyond.Min, beyond.Max)
	case err == nil, errors.As(err, &already):
		return err
	case errors.As(err, &gone):
		return &device.RefusedError{Code: fault.RefExpired, Cause: err}
	case errors.As(err, &cannot):
		return fault.New(fault.Unsupported, "%w", err).WithDispatch(fault.NotDispatched)
	case errors.As(err, &no):
		return fault.New(fault.ElementUnhittable, "%w", err).WithDispatch(fault.NotDispatched)
	}
	if f, is := fault.In(err); is {
		if f.Dispatched == "" {
			return f.WithDispatch(fault.NotDispatched)
		}
		return err
	}
	return fault.New(fault.ToolFailed, "the desktop refused the input: %w", err).WithDispatch(fault.NotDispatched)
}

// Tap presses the target element through accessibility if possible, focuses a text field, or else clicks.
func (p *process) Tap(ctx context.Context, at ui.Point) error {
	return p.input(ctx, at, false, func(do desktop.Performer, t target) (string, error) {
		n := t.node
		if n != nil && !t.whole {
			n = innermost(n, t.at, func(n *desktop.Node) bool { return slices.Contains(n.Actions, desktop.Press) })
		}
		switch {
		case n == nil:
			return do.Methods.Input, do.App.Click(ctx, t.at, 1, 1)
		case writable(n):
			err := do.App.Focus(ctx, n.Key)
			if _, cannot := errors.AsType[*desktop.UnsupportedError](err); !cannot {
				return do.Methods.Accessibility, err
			}
			p.focused(n.Key)
			n = &desktop.Node{Key: n.Key, Bounds: n.Bounds} // a press would submit it
		}
		if n.Bounds != nil && n.Bounds.Contains(t.at) {
			n = n.At(t.at)
		}
		return do.Click(ctx, n)
	})
}

// innermost is the smallest element at a point that fits, among an element and its descendants; nil if none fits.
func innermost(n *desktop.Node, at ui.Point, fits func(*desktop.Node) bool) (found *desktop.Node) {
	n.Walk(func(c *desktop.Node) bool {
		if c.Bounds != nil && c.Bounds.Contains(at) && fits(c) {
			found = c
		}
		return true
	})
	return found
}

// writable reports whether a click on an element only focuses it.
func writable(n *desktop.Node) bool {
	switch typeOf(n) {
	case "TextField", "SecureTextField", "SearchField", "TextView":
		return true
	}
	return false
}

// point is input for the mouse.
func (p *process) point(ctx context.Context, at ui.Point, send func(app desktop.App) error) error {
	return p.input(ctx, at, true, func(do desktop.Performer, _ target) (string, error) { return do.Methods.Input, send(do.App) })
}

// DoubleTap clicks twice.
func (p *process) DoubleTap(ctx context.Context, at ui.Point) error {
	return p.point(ctx, at, func(app desktop.App) error { return app.Click(ctx, at, 1, 2) })
}

// LongPress holds the mouse button down.
func (p *process) LongPress(ctx context.Context, at ui.Point, long time.Duration) error {
	return p.point(ctx, at, func(app desktop.App) error { return app.Hold(ctx, at, long) })
}

// lineHeight is the distance, in points, that a finger moves for one line of a wheel.
const lineHeight = 40

// Swipe turns the wheel so that the content moves as after the swipe of a finger.
func (p *process) Swipe(ctx context.Context, from, to ui.Point, _ time.Duration) error {
	lines := func(way float64) int { return int(math.Copysign(math.Ceil(math.Abs(way)/lineHeight), way)) }
	dx, dy := to.X-from.X, to.Y-from.Y
	if math.Abs(dx) > math.Abs(dy) {
		dy = 0
	} else {
		dx = 0
	}
	return p.point(ctx, from, func(app desktop.App) error { return app.Scroll(ctx, from, lines(dx), lines(dy)) })
}

// Drag drags with the mouse.
func (p *process) Drag(ctx context.Context, d device.Drag) error {
	return p.input(ctx, d.From, true, func(do desktop.Performer, _ target) (string, error) {
		return do.DragTo(ctx, desktop.Move{From: d.From, Hold: d.Hold, Pointer: d.Pointer}, d.To, d.Press)
	})
}

// SetValue gives a control a value: a number, a percentage of its range, or a text.
func (p *process) SetValue(ctx context.Context, at ui.Point, value string) error {
	return p.input(ctx, at, false, func(do desktop.Performer, t target) (string, error) {
		n, err := p.valued(ctx, t)
		if err != nil {
			return "", err
		}
		if n == nil {
			return "", &desktop.UnsupportedError{What: "be set: the point has no control"}
		}
		number, err := amount(n, value)
		if err == nil {
			return do.SetValue(ctx, n, json.RawMessage(strconv.FormatFloat(number, 'f', -1, 64)))
		}
		text, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		return do.SetValue(ctx, n, text)
	})
}

// valued is the control to set: the element itself, or the control at the point in the topmost window.
func (p *process) valued(ctx context.Context, t target) (found *desktop.Node, err error) {
	has := func(n *desktop.Node) bool { return n.Value != nil }
	switch {
	case t.node != nil && t.whole:
		return t.node, nil
	case t.node != nil:
		return innermost(t.node, t.at, has), nil
	}
	now, err := p.present(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, w := range slices.Backward(now.tree.Windows) {
		if found = innermost(w, t.at, has); found != nil {
			break
		}
	}
	return found, nil
}

// amount is the number that a text means for a control: a percentage of its range if the text has a percent sign and the range is known.
// Without a known range, a control whose value is from 0 to 1 has that range, any other 0 to 100.
func amount(n *desktop.Node, text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil || !percent {
		return number, err
	}
	low, high := 0.0, 100.0
	switch {
	case n.Min != nil && n.Max != nil:
		low, high = *n.Min, *n.Max
	case n.Value != nil:
		if is, err := strconv.ParseFloat(*n.Value, 64); err == nil && is >= 0 && is <= 1 {
			high = 1
		}
	}
	return low + (high-low)*number/100, nil
}

// Fill sets a field's text through accessibility, and focuses the field.
func (p *process) Fill(ctx context.Context, at ui.Point, text string) error {
	guard := device.GuardOf(ctx)
	if guard.Aim == nil {
		return unfilled()
	}
	t, err := p.aimed(ctx, guard, at, false)
	if err != nil {
		return err
	}
	n := t.node
	if !t.whole {
		n = innermost(n, t.at, writable)
	}
	if n == nil {
		return unfilled()
	}
	before, _ := p.last()
	do := p.Performer()
	_ = do.App.Focus(ctx, n.Key) // a field that cannot be focused can still be filled
	if err := do.App.SetText(ctx, n.Key, text); err != nil {
		return refused(err)
	}
	p.done(ctx, device.TakeGuard(ctx), do.Methods.Accessibility, before)
	return nil
}

func unfilled() error {
	return fault.New(fault.Unsupported, "the target is not a field that accepts a whole text").WithDispatch(fault.NotDispatched)
}
