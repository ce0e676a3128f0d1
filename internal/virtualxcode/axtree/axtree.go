// Package axtree is the accessibility tree that CoreSimulator shows AXe and idb. It has the gaps of the real tree: it is flat, it omits
// containers, only a query by point finds the items of a tab bar, and it does not say whether an element can be touched. Look reads a
// Screen; a Form selects the printed keys. It must not know any command line.
package axtree

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"ios-agent/internal/virtualxcode/world"
)

// Node is one element.
type Node struct {
	Frame         world.Rect
	UniqueID      *string
	Label         *string
	Value         *string
	Type          string
	Role          string
	Description   string // the description of the role
	Subrole       *string
	CustomActions []string
	Enabled       bool
	PID           int
	Placeholder   string
	Focused       bool
	Children      []Node
}

// Form selects the optional keys of a printed node.
type Form struct {
	Children bool
	PID      bool
}

// Of returns n in the form f, ready to be printed.
func (f Form) Of(n Node) any { return object{f, n} }

// All returns nodes in the form f.
func (f Form) All(nodes []Node) []any {
	out := []any{}
	for _, n := range nodes {
		out = append(out, f.Of(n))
	}
	return out
}

type object struct {
	form Form
	node Node
}

// Members implements applejson.Ordered, in the order of the real tools.
func (o object) Members() iter.Seq2[string, any] {
	n, f := o.node, o.node.Frame
	actions := []any{}
	for _, a := range n.CustomActions {
		actions = append(actions, a)
	}
	all := []member{
		{"AXFrame", fmt.Sprintf("{{%v, %v}, {%v, %v}}", f.X, f.Y, f.W, f.H)},
		{"AXUniqueId", n.UniqueID},
		{"frame", frame(f)},
		{"role_description", n.Description},
		{"AXLabel", n.Label},
		{"content_required", false},
		{"type", n.Type},
		{"title", nil},
		{"help", nil},
		{"custom_actions", actions},
		{"AXValue", n.Value},
		{"enabled", n.Enabled},
		{"role", n.Role},
	}
	if o.form.Children {
		all = append(all, member{"children", o.form.All(n.Children)})
	}
	all = append(all, member{"subrole", n.Subrole})
	if o.form.PID {
		all = append(all, member{"pid", n.PID})
	}
	return each(all)
}

// frame is a rectangle as an object.
type frame world.Rect

// Members implements applejson.Ordered.
func (f frame) Members() iter.Seq2[string, any] {
	return each([]member{{"y", f.Y}, {"x", f.X}, {"width", f.W}, {"height", f.H}})
}

type member struct {
	key   string
	value any
}

func each(all []member) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, m := range all {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}

// errNothing means that no app is in front.
var errNothing = errors.New("no application is in front")

// Screen is one look at a device.
type Screen struct {
	app  *world.Element
	pid  int
	root Node
}

// Look reads the app in front of a booted simulator.
func Look(ctx context.Context, w *world.World, udid string) (Screen, error) {
	app, _, err := w.Snapshot(ctx, udid, "")
	if err != nil {
		return Screen{}, err
	}
	if app == nil {
		return Screen{}, errNothing
	}
	pid, err := w.ForegroundPID(udid)
	if err != nil {
		return Screen{}, err
	}
	s := Screen{app: app, pid: pid, root: newNode(app, application, pid)}
	s.root.Children = flatten(app, pid)
	return s, nil
}

// Root returns the application with its elements.
func (s Screen) Root() Node { return s.root }

// Flat returns the application and its elements, one after the other.
func (s Screen) Flat() []Node { return append([]Node{s.root}, s.root.Children...) }

// At returns the innermost element at a point. Unlike the other queries it sees into a tab bar.
func (s Screen) At(p world.Point) (Node, bool) {
	if !s.app.Frame.Contains(p) {
		return Node{}, false
	}
	hit := s.root
	for e := range s.app.All() {
		if k, exposed := kinds[e.Type]; exposed && e.Frame.Contains(p) {
			hit = newNode(e, k, s.pid) // later elements are drawn over earlier ones
		}
	}
	hit.Children = nil
	return hit, true
}

// flatten lists the exposed elements; a group hides its content.
func flatten(e *world.Element, pid int) []Node {
	nodes := []Node{}
	for _, child := range e.Children {
		k, exposed := kinds[child.Type]
		if exposed {
			nodes = append(nodes, newNode(child, k, pid))
		}
		if !k.opaque {
			nodes = append(nodes, flatten(child, pid)...)
		}
	}
	return nodes
}

func newNode(e *world.Element, k kind, pid int) Node {
	n := Node{
		Frame: e.Frame, UniqueID: text(e.Identifier), Label: text(e.Label), Value: value(e), Type: k.name, Role: k.role,
		Description: k.description, Subrole: text(k.subrole), CustomActions: k.actions, Enabled: !e.Disabled, PID: pid,
		Placeholder: e.Placeholder, Focused: e.Focused,
	}
	if n.Label == nil {
		n.Label = text(k.label)
	}
	if e.Type == "Icon" && n.Value == nil {
		n.Value = new(string)
	}
	return n
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// value is the element's value; for an empty field that is its placeholder.
func value(e *world.Element) *string {
	if e.Value == "" {
		return text(e.Placeholder)
	}
	return text(e.Value)
}
