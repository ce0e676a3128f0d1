package desktop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Refusal is why an action was not done, as an answer and not as a fault: the caller may try another one.
type Refusal struct {
	Says string
	Hint string // what to do instead; may be empty
}

func (r *Refusal) Error() string { return r.Says }

// The refusals of the seed.
var (
	errNoBounds      = &Refusal{Says: "Element has no bounds for CGEvent click"}
	errNoScroll      = &Refusal{Says: "Element has no bounds for scroll"}
	errNoSource      = &Refusal{Says: "Source element has no bounds for drag"}
	errNoDestination = &Refusal{Says: "Destination element has no bounds for drag"}
	errNoSetValue    = &Refusal{Says: "element does not support set_value; try 'type'"}

	// ErrNoNode and ErrNoDestination say that an id names no element that is there.
	ErrNoNode        = &Refusal{Says: "node not found"}
	ErrNoDestination = &Refusal{Says: "drag destination node not found"}
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

// SetValue sets an element's value: a number as a number, also where it comes as a text, or as a text where the element takes texts; for a
// list of choices, the choice of that name; anything else as its JSON.
func (p Performer) SetValue(ctx context.Context, n *Node, value json.RawMessage) (method string, err error) {
	text, number, numeric := wanted(value)
	switch {
	case n.Role == popUp && len(n.Children) > 0:
		return p.choose(ctx, n, text)
	case !numeric || n.takesText():
		err = p.App.SetText(ctx, n.Key, text)
	case n.outside(number):
		return "", &RangeError{number, *n.Min, *n.Max}
	default:
		if err = p.App.SetNumber(ctx, n.Key, number); fallsBack(err) {
			err = p.App.SetText(ctx, n.Key, text) // sliders of SwiftUI refuse numbers
		}
	}
	if err != nil && fallsBack(err) {
		return "", errNoSetValue
	}
	return p.Methods.Accessibility, err
}

// wanted is a value as a text, and as a number if it is one.
func wanted(value json.RawMessage) (text string, number float64, numeric bool) {
	if string(value) == "null" {
		return "null", 0, false
	}
	if json.Unmarshal(value, &number) == nil {
		return strconv.FormatFloat(number, 'f', -1, 64), number, true
	}
	if json.Unmarshal(value, &text) != nil {
		return string(value), 0, false
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return text, number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// RangeError says that a number is not within what an element takes. Toolkits take the nearest instead, and say nothing.
type RangeError struct{ Value, Min, Max float64 }

func (e *RangeError) Error() string {
	return fmt.Sprintf("%g is outside of what the element takes: %g to %g", e.Value, e.Min, e.Max)
}

func (n *Node) outside(number float64) bool {
	return n.Min != nil && n.Max != nil && *n.Min < *n.Max && (number < *n.Min || number > *n.Max)
}

// popUp is the role of what shows one of several choices.
const popUp = "AXPopUpButton"

// mostChoices is how many a refusal names.
const mostChoices = 20

// choose picks the choice that is called so, in any case if none is exactly.
func (p Performer) choose(ctx context.Context, n *Node, title string) (method string, err error) {
	var all []*Node
	n.Walk(func(c *Node) bool {
		if c != n && len(c.Children) == 0 && c.Title != "" {
			all = append(all, c)
		}
		return true
	})
	i := slices.IndexFunc(all, func(c *Node) bool { return c.Title == title })
	if i < 0 {
		i = slices.IndexFunc(all, func(c *Node) bool { return strings.EqualFold(c.Title, title) })
	}
	if len(all) == 0 {
		return "", &Refusal{Says: "the element tells no choices now; click it and look"}
	}
	if i < 0 {
		var names []string
		for _, c := range all[:min(len(all), mostChoices)] {
			names = append(names, ui.Quote(c.Title))
		}
		return "", &Refusal{Says: fmt.Sprintf("the element has no choice %s; it has %s", ui.Quote(title), strings.Join(names, ", "))}
	}
	for _, action := range []string{Press, pick} {
		if err = p.App.Perform(ctx, all[i].Key, action); err == nil || !fallsBack(err) {
			return p.Methods.Accessibility, err
		}
	}
	return "", errNoSetValue
}

// pick is the action of AX that takes one of several.
const pick = "AXPick"

func (n *Node) takesText() bool { return n.Role == "AXTextField" || n.Role == "AXTextArea" }

// Type gives an element the focus, by a click where accessibility cannot, and types. An element that already has the focus is not focused
// again: many fields select all their text then, and typing would replace it.
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
		return "", &Refusal{Says: err.Error()}
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

// Drag drags an element onto another one. pointer is Move.Pointer.
func (p Performer) Drag(ctx context.Context, from, to *Node, pointer bool) (method string, err error) {
	a, ok := centre(from)
	if !ok {
		return "", errNoSource
	}
	b, ok := centre(to)
	if !ok {
		return "", errNoDestination
	}
	return p.DragTo(ctx, Move{From: a, Hold: dragStep, Pointer: pointer}, b, 0)
}

// DragTo completes a move that ends at a point, and does it: the mouse stands still for the time press before it moves.
func (p Performer) DragTo(ctx context.Context, m Move, to ui.Point, press time.Duration) (method string, err error) {
	still := slices.Repeat([]ui.Point{m.From}, int((press+dragStep-1)/dragStep))
	m.Path, m.Step = append(still, dragPath(m.From, to, dragSteps)...), dragStep
	if method = p.Methods.Input; m.Pointer {
		method = cmp.Or(p.Methods.Pointer, method)
	}
	return method, p.App.Drag(ctx, m)
}

// centre is the middle of an element; not ok for an element without a place.
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
