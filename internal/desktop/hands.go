package desktop

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Refusal is why an action was not done, as an answer and not as a fault: the caller may try another one.
type Refusal struct{ Says string }

func (r *Refusal) Error() string { return r.Says }

// The refusals of the seed.
var (
	errNoBounds      = &Refusal{"Element has no bounds for CGEvent click"}
	errNoScroll      = &Refusal{"Element has no bounds for scroll"}
	errNoSource      = &Refusal{"Source element has no bounds for drag"}
	errNoDestination = &Refusal{"Destination element has no bounds for drag"}
	errNoSetValue    = &Refusal{"element does not support set_value; try 'type'"}

	// ErrNoNode and ErrNoDestination say that an id names no element that is there.
	ErrNoNode        = &Refusal{"node not found"}
	ErrNoDestination = &Refusal{"drag destination node not found"}
)

// Press is the action of AX that a click is.
const Press = "AXPress"

// Performer does actions on an app: by accessibility if the element can, else by input. Each tells how.
type Performer struct {
	App     App
	Methods Methods
}

// Click clicks an element once.
func (p Performer) Click(ctx context.Context, n *Node) (method string, err error) {
	if slices.Contains(n.Actions, Press) {
		err := p.App.Perform(ctx, n.Key, Press)
		if err == nil || !fallsBack(err) {
			return p.Methods.Accessibility, err
		}
	}
	at, ok := centre(n)
	if !ok {
		return "", errNoBounds
	}
	return p.Methods.Input, p.App.Click(ctx, at, 1, 1)
}

// fallsBack reports whether an error says that accessibility did nothing, so that input may do it.
func fallsBack(err error) bool {
	_, cannot := errors.AsType[*UnsupportedError](err)
	return cannot
}

// SetValue sets an element's value: a number as a number, or as a text where the element takes texts; a string as a text; anything else
// as its JSON.
func (p Performer) SetValue(ctx context.Context, n *Node, value json.RawMessage) (method string, err error) {
	var number float64
	var text string
	switch {
	case json.Unmarshal(value, &number) == nil && string(value) != "null":
		text = strconv.FormatFloat(number, 'f', -1, 64)
		if n.takesText() {
			err = p.App.SetText(ctx, n.Key, text)
		} else if err = p.App.SetNumber(ctx, n.Key, number); fallsBack(err) {
			err = p.App.SetText(ctx, n.Key, text) // sliders of SwiftUI refuse numbers
		}
	case json.Unmarshal(value, &text) == nil && string(value) != "null":
		err = p.App.SetText(ctx, n.Key, text)
	default:
		err = p.App.SetText(ctx, n.Key, string(value))
	}
	if err != nil && fallsBack(err) {
		return "", errNoSetValue
	}
	return p.Methods.Accessibility, err
}

func (n *Node) takesText() bool { return n.Role == "AXTextField" || n.Role == "AXTextArea" }

// Type gives an element the focus, by a click where accessibility cannot, and types. One that has the focus keeps it as it is: many
// fields select all their text when they get it once more, and the text would be replaced.
func (p Performer) Type(ctx context.Context, n *Node, text string) (method string, err error) {
	if !n.Focused {
		if err := p.focus(ctx, n); err != nil {
			return "", err
		}
	}
	return p.Methods.Input, p.App.Type(ctx, text)
}

func (p Performer) focus(ctx context.Context, n *Node) error {
	err := p.App.Focus(ctx, n.Key)
	if err == nil || !fallsBack(err) {
		return err
	}
	at, ok := centre(n)
	if !ok {
		return nil // the keys go where the focus is
	}
	if err := p.App.Click(ctx, at, 1, 1); err != nil {
		return err
	}
	return pause.For(ctx, afterClick)
}

// Key presses a key.
func (p Performer) Key(ctx context.Context, name string, modifiers []string) (method string, err error) {
	key, err := KeyOf(name)
	if err != nil {
		return "", &Refusal{err.Error()}
	}
	held, err := ModifiersOf(modifiers)
	if err != nil {
		return "", err
	}
	return p.Methods.Input, p.App.Press(ctx, Chord{key, held}, 1)
}

// Scroll turns the wheel over an element.
func (p Performer) Scroll(ctx context.Context, n *Node, direction string, lines int) (method string, err error) {
	at, ok := centre(n)
	if !ok {
		return "", errNoScroll
	}
	dx, dy := 0, 0
	switch direction {
	case "up":
		dy = lines
	case "down":
		dy = -lines
	case "left":
		dx = lines
	case "right":
		dx = -lines
	}
	return p.Methods.Input, p.App.Scroll(ctx, at, dx, dy)
}

// Drag drags an element onto another one.
func (p Performer) Drag(ctx context.Context, from, to *Node) (method string, err error) {
	a, ok := centre(from)
	if !ok {
		return "", errNoSource
	}
	b, ok := centre(to)
	if !ok {
		return "", errNoDestination
	}
	return p.DragTo(ctx, a, b, 0, dragStep)
}

// DragTo drags from one point to another: it presses for a time before it moves, and holds before it lets go.
func (p Performer) DragTo(ctx context.Context, from, to ui.Point, press, hold time.Duration) (method string, err error) {
	still := slices.Repeat([]ui.Point{from}, int((press+dragStep-1)/dragStep))
	path := append(still, dragPath(from, to, dragSteps)...)
	return p.Methods.Input, p.App.Drag(ctx, from, path, dragStep, hold)
}

// centre is the middle of an element; not ok for one that is nowhere.
func centre(n *Node) (at ui.Point, ok bool) {
	if n.Bounds == nil || n.Bounds.Empty() {
		return at, false
	}
	return middle(*n.Bounds), true
}

func middle(r ui.Rect) ui.Point { return ui.Point{X: r.X + r.W/2, Y: r.Y + r.H/2} }

// dragPath are the points on the way, the last one included, the first one not.
func dragPath(from, to ui.Point, steps int) []ui.Point {
	path := make([]ui.Point, steps)
	for i := range path {
		t := float64(i+1) / float64(steps)
		path[i] = ui.Point{X: from.X + (to.X-from.X)*t, Y: from.Y + (to.Y-from.Y)*t}
	}
	return path
}
