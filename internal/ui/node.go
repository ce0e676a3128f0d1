// Package ui is the user interface as agents see it: the tree, its roles, refs and locators, what changed between two looks, and the forms
// in which programs get it; package outline writes it down for models. It is pure: it never reads a device, and a driver hands it trees.
package ui

import (
	"math"
	"strings"
)

// Point is a place on the screen, in points.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Rect is a frame on the screen, in points.
type Rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Centre is where a finger would land.
func (r Rect) Centre() Point { return Point{math.Round(r.X + r.W/2), math.Round(r.Y + r.H/2)} }

// Contains reports whether p lies inside.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// Intersect is what two frames share; empty when nothing.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	w, h := min(r.X+r.W, o.X+o.W)-x, min(r.Y+r.H, o.Y+o.H)-y
	if w <= 0 || h <= 0 {
		return Rect{}
	}
	return Rect{x, y, w, h}
}

// Empty reports whether nothing of it can be seen.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Node is one element of the tree.
type Node struct {
	Type        string // short XCUI name: Button, StaticText, TextField, …
	Identifier  string
	Key         string // the source's own name for the element, the same on every look and never another's; empty: it has none
	Given       string // the short name that everybody calls it by, where its device gives names: btn_a1b2; empty: refs name it
	Label       string
	Value       string
	Placeholder string
	Frame       Rect
	Disabled    bool
	Focused     bool
	Selected    bool
	Secure      bool
	Hidden      bool           // the source itself says that it cannot be seen; its children may be
	Unplaced    bool           // the source gave no frame
	Made        bool           // no element of the source: it holds several roots together
	RawType     string         // what the source called the type, where that is not Type
	Source      string         // who told of the element, where that was not accessibility: SourceWeb
	Actions     []string       // custom accessibility actions
	Extra       map[string]any // what else the source said, as it said it
	Children    []*Node

	parent   *Node
	told     bool // it gets a line in an outline
	depth    int32
	order    int32  // position in the document, which is also the painting order
	twin     int32  // 0 when its identity is unique on its screen, else 1, 2, … in document order
	seen     Rect   // the part of its frame that lies within the screen and what clips it
	covered  *Node  // what hides its centre
	sheet    string // of a dismiss region: the sheet beside which it lies
	identity identity
}

// SourceWeb is the Source of an element that the page of a web view told of.
const SourceWeb = "web"

// Role is the ARIA-like role models know the element by.
func (n *Node) Role() string { return roleOf(n.Type) }

// Parent is the enclosing element; nil for the root.
func (n *Node) Parent() *Node { return n.parent }

// Visible reports whether some of the element lies within the screen and is not scrolled away.
func (n *Node) Visible() bool { return !n.Hidden && (n.Unplaced || !n.seen.Empty()) }

// VisiblePercent is how much of the element's area lies within the screen and what clips it.
func (n *Node) VisiblePercent() int {
	switch {
	case !n.Visible():
		return 0
	case n.Unplaced || n.seen == n.Frame:
		return 100
	}
	share := 100 * (n.seen.W * n.seen.H) / (n.Frame.W * n.Frame.H)
	return min(max(int(math.Round(share)), 1), 99)
}

// Interactive reports whether an agent may want to act on the element. Not the type alone decides: frameworks that draw
// their own controls give them no better type than Other, but say what can be done with them.
func (n *Node) Interactive() bool { return kinds[n.Type].interactive || len(n.Actions) > 0 }

// Hittable reports whether a tap on the element's centre would reach it.
func (n *Node) Hittable() bool { return n.WhyNotHittable() == "" }

// Exposed reports whether a finger on the element's centre would meet it, which is what Apple's tools call hittable: a disabled element is
// met as well.
func (n *Node) Exposed() bool {
	enabled := *n
	enabled.Disabled = false
	return enabled.Hittable()
}

// WhyNotHittable says in words what is in the way; empty when nothing is.
func (n *Node) WhyNotHittable() string {
	switch {
	case n.Disabled:
		return "it is disabled"
	case n.Hidden:
		return "it is hidden"
	case n.Unplaced:
		return "nobody said where it is"
	case n.holdsOverlay():
		return "it only holds what lies over the app"
	case !n.Visible():
		return "it is off the screen"
	case !n.seen.Contains(n.Frame.Centre()):
		return "its centre is scrolled out of view"
	case n.covered != nil:
		return "it is covered by " + n.covered.asCover()
	}
	return ""
}

// TakesText reports whether one can type into the element.
func (n *Node) TakesText() bool { return takesText[n.Type] != "" }

// TakesLines reports whether the return key adds a line to the element's text.
func (n *Node) TakesLines() bool { return takesText[n.Type] == "multiline" }

// Name is what a person would call the element: its label, else its placeholder, else its identifier.
func (n *Node) Name() string {
	for _, name := range []string{n.Label, n.Placeholder, n.Identifier} {
		if strings.TrimSpace(name) != "" {
			return name
		}
	}
	return ""
}

// Describe names the element in a message: role and quoted name.
func (n *Node) Describe() string {
	if name := n.Name(); name != "" {
		return n.Role() + " " + Quote(name)
	}
	return n.Role()
}

// Walk visits the element and all below it in document order; returning false skips the element's children.
func (n *Node) Walk(visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range n.Children {
		c.Walk(visit)
	}
}

// Within reports whether n is o or below it.
func (n *Node) Within(o *Node) bool {
	for ; n != nil; n = n.parent {
		if n == o {
			return true
		}
	}
	return false
}

// Scrolls reports whether what lies outside the element's frame is only scrolled away.
func (n *Node) Scrolls() bool { return kinds[n.Type].clips }

// Landmark reports whether the element is a container that says where on the screen one is, such as a list, a bar or a dialog.
func (n *Node) Landmark() bool { return kinds[n.Type].frame }

// Takes reports whether the element is an alert, a sheet, a popover or a menu, which takes every touch on the app.
func (n *Node) Takes() bool { return takers[n.Type] }

// Covered is what hides the element's centre; nil when nothing does.
func (n *Node) Covered() *Node { return n.covered }

// OnlyGroups reports whether the element is a container that says nothing which its content does not say.
func (n *Node) OnlyGroups() bool { return kinds[n.Type].plain }

// Behind reports whether an alert, a sheet or a menu takes every touch on the element.
func (s *Screen) Behind(n *Node) bool { return s.front.node != nil && s.front.hides(n) }
