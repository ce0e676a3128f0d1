//go:build darwin || macaxfake

package macax

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// attributes are read of every element, all in one request.
var attributes = []string{"AXRole", "AXSubrole", "AXTitle", "AXDescription", "AXValue", "AXEnabled", "AXFocused", "AXPosition", "AXSize",
	"AXIdentifier", "AXPlaceholderValue", "AXSelected", "AXMinimized", "AXHidden", "AXModal", "AXMinValue", "AXMaxValue", "AXChildren"}

// The indexes of attributes.
const (
	attrRole = iota
	attrSubrole
	attrTitle
	attrDescription
	attrValue
	attrEnabled
	attrFocused
	attrPosition
	attrSize
	attrIdentifier
	attrPlaceholder
	attrSelected
	attrMinimized
	attrHidden
	attrModal
	attrMin
	attrMax
	attrChildren
)

// Types of AXValue.
const (
	valuePoint = 1
	valueSize  = 2
)

const (
	secureField = "AXSecureTextField"
	menuBar     = "MenuBar"
)

// mostSilent is the maximum number of elements of a look that may give no answer while the process itself answers: each costs
// answerWithin.
const mostSilent = 2

// walk is one look.
type walk struct {
	*App
	ctx    context.Context
	limits desktop.Limits
	tree   *desktop.Tree
	nodes  int
	silent int
}

// Look reads all windows. See desktop.Eyes.
func (a *App) Look(ctx context.Context, limits desktop.Limits) (tree *desktop.Tree, err error) {
	began := time.Now()
	if limits.Depth == 0 {
		limits.Depth = desktop.MaxDepth
	}
	if limits.Nodes == 0 {
		limits.Nodes = desktop.MaxNodes
	}
	err = a.do(ctx, func() error {
		w := &walk{App: a, ctx: ctx, limits: limits, tree: &desktop.Tree{}}
		a.elements.look++
		if err := w.windows(); err != nil {
			return err
		}
		a.sweep(ctx)
		if a.observer == nil {
			a.watch() // the process could not report events when it was opened
		}
		tree = w.tree
		return nil
	})
	if err != nil {
		return nil, err
	}
	tree.Took = time.Since(began)
	return tree, nil
}

// facts are an element's attributes.
type facts struct {
	node     *desktop.Node // nil: the element has no role
	children []ref         // owned retains them
	owned    []ref
}

func (f facts) release(l *library) {
	for _, o := range f.owned {
		l.release(o)
	}
}

func (w *walk) windows() error {
	root, code := w.read(w.root)
	defer root.release(w.lib)
	switch {
	case code == axAPIDisabled:
		return w.lib.errUntrusted()
	case code != axSuccess || root.node == nil: // also for a process that has ended, or that has no accessibility
		return w.errSilent(false)
	}
	var all []*desktop.Node
	place := 0 // position among the windows in the process's order
	for _, object := range root.children {
		if w.nodes == w.limits.Nodes {
			if role, _ := w.role(object); !strings.Contains(role, menuBar) {
				w.left(1, w.tooMany())
			}
			continue
		}
		e := w.elements.keep(w.lib, object)
		e.window = e
		n, err := w.visit(e, 1)
		if err != nil {
			return err
		}
		if n != nil && strings.Contains(n.Role, menuBar) {
			continue
		}
		if n != nil {
			n.Hidden = n.Hidden || root.node.Hidden
			n.Shift = place
			all = append(all, n)
		}
		place++
	}
	w.tree.Windows = w.backToFront(all)
	for i, n := range w.tree.Windows {
		n.Shift -= i
	}
	return nil
}

// visit reads an element and its descendants; nil for an element that has no role, no longer exists, or was read before.
func (w *walk) visit(e *element, level int) (*desktop.Node, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	if e.look == w.elements.look {
		return nil, nil
	}
	e.look = w.elements.look
	f, code := w.read(e.ref)
	defer f.release(w.lib)
	switch code {
	case axSuccess:
	case axInvalidElement:
		w.elements.drop(w.lib, e)
		return nil, nil
	case axCannotComplete:
		return nil, w.unanswered()
	case axAPIDisabled:
		return nil, w.lib.errUntrusted()
	default:
		return nil, nil
	}
	if f.node == nil {
		return nil, nil
	}
	n := f.node
	n.Key = e.key
	if level == 1 && strings.Contains(n.Role, menuBar) {
		return n, nil // the element and its descendants are left out
	}
	w.nodes++
	n.Actions = w.actions(e.ref)
	return n, w.below(n, e, f.children, level)
}

// below reads an element's children.
func (w *walk) below(n *desktop.Node, e *element, children []ref, level int) error {
	if level == w.limits.Depth && len(children) > 0 {
		w.left(len(children), fmt.Sprintf("deeper than %d levels", w.limits.Depth))
		return nil
	}
	for i, object := range children {
		if w.nodes == w.limits.Nodes {
			w.left(len(children)-i, w.tooMany())
			return nil
		}
		c := w.elements.keep(w.lib, object)
		c.window = e.window
		child, err := w.visit(c, level+1)
		if err != nil {
			return err
		}
		if child != nil {
			child.Shift = i - len(n.Children)
			n.Children = append(n.Children, child)
		}
	}
	return nil
}

// unanswered handles an element that gave no answer: the process may hang, or only this element, which another
// process may serve.
func (w *walk) unanswered() error {
	_, code := w.role(w.root)
	if w.silent++; code != axSuccess || w.silent > mostSilent {
		return w.errSilent(false)
	}
	w.left(1, "an element did not answer")
	return nil
}

// role reads only an element's role.
func (a *App) role(object ref) (role string, code axError) {
	var value ref
	code = a.lib.copyAttribute(object, a.lib.name(attributes[attrRole]), &value)
	if value != 0 {
		role = a.lib.string(value)
		a.lib.release(value)
	}
	return role, code
}

func (w *walk) left(n int, why string) {
	w.tree.Left += n
	if !strings.Contains(w.tree.LeftWhy, why) {
		w.tree.LeftWhy = strings.TrimPrefix(w.tree.LeftWhy+", "+why, ", ")
	}
}

// read reads the attributes of an element. The caller releases the result, even with an error.
func (a *App) read(object ref) (f facts, code axError) {
	l := a.lib
	var array ref
	var values []ref
	code = l.copyAttributes(object, a.attributes, 0, &array)
	if array != 0 {
		f.owned = append(f.owned, array)
		values = l.all(array)
	}
	switch {
	case code == axInvalidElement || code == axCannotComplete || code == axAPIDisabled:
		return f, code
	case code != axSuccess || len(values) != len(attributes): // some apps answer only requests for a single attribute
		values = a.oneByOne(object)
		f.owned = append(f.owned, slices.DeleteFunc(slices.Clone(values), func(v ref) bool { return v == 0 })...)
	}
	if role := l.string(values[attrRole]); role != "" {
		f.node = l.node(role, values)
	}
	f.children = l.items(values[attrChildren], l.types.element)
	return f, axSuccess
}

// oneByOne reads the attributes with a request each. The caller releases them; a missing one is 0.
func (a *App) oneByOne(object ref) []ref {
	values := make([]ref, len(attributes))
	for i, name := range attributes {
		if a.lib.copyAttribute(object, a.lib.name(name), &values[i]) == axCannotComplete {
			break
		}
	}
	return values
}

// node converts the attributes. A missing attribute is an AXValue with an error, whose type matches no request.
func (l *library) node(role string, of []ref) *desktop.Node {
	n := &desktop.Node{
		Role: role, Source: source, Enabled: true, Title: l.string(of[attrTitle]), Subrole: l.string(of[attrSubrole]),
		Identifier: l.string(of[attrIdentifier]), Placeholder: l.string(of[attrPlaceholder]),
	}
	if n.Title == "" {
		n.Title = l.string(of[attrDescription])
	}
	if n.Role != secureField && n.Subrole != secureField {
		n.Value = l.value(of[attrValue])
	}
	if enabled, said := l.bool(of[attrEnabled]); said {
		n.Enabled = enabled
	}
	n.Focused, _ = l.bool(of[attrFocused])
	n.Selected, _ = l.bool(of[attrSelected])
	if n.Role == "AXCheckBox" || n.Role == "AXRadioButton" || n.Subrole == "AXSwitch" || n.Subrole == "AXToggle" {
		n.Selected = n.Value != nil && *n.Value == "1"
	}
	minimized, _ := l.bool(of[attrMinimized])
	hidden, _ := l.bool(of[attrHidden])
	n.Hidden = minimized || hidden
	n.Modal, _ = l.bool(of[attrModal])
	n.Min, n.Max = l.number(of[attrMin]), l.number(of[attrMax])
	x, y, placed := l.pair(of[attrPosition], valuePoint)
	width, height, sized := l.pair(of[attrSize], valueSize)
	if placed && sized {
		n.Bounds = &ui.Rect{X: x, Y: y, W: width, H: height}
	}
	return n
}

// actions are the names of an element's actions.
func (a *App) actions(object ref) (names []string) {
	var all ref
	if a.lib.copyActions(object, &all) != axSuccess || all == 0 {
		return nil
	}
	defer a.lib.release(all)
	for _, name := range a.lib.items(all, a.lib.types.text) {
		names = append(names, a.lib.string(name))
	}
	return names
}

func (w *walk) tooMany() string { return fmt.Sprintf("more than %d elements", w.limits.Nodes) }
