// Package ui is the user interface as agents see it: the tree, its roles and refs, what changed between two looks, and
// the ways to write it down. It is pure: it never reads a device, and a driver hands it trees.
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
	Label       string
	Value       string
	Placeholder string
	Frame       Rect
	Disabled    bool
	Focused     bool
	Selected    bool
	Secure      bool
	Children    []*Node

	parent   *Node
	seen     Rect  // the part of its frame that lies within the screen and what clips it
	covered  *Node // what hides its centre
	order    int   // position in the document, which is also the painting order
	identity identity
}

// Role is the ARIA-like role models know the element by.
func (n *Node) Role() string { return roleOf(n.Type) }

// Parent is the enclosing element; nil for the root.
func (n *Node) Parent() *Node { return n.parent }

// Visible reports whether some of the element lies within the screen and is not scrolled away.
func (n *Node) Visible() bool { return !n.seen.Empty() }

// Hittable reports whether a tap on the element's centre would reach it.
func (n *Node) Hittable() bool { return n.WhyNotHittable() == "" }

// WhyNotHittable says in words what is in the way; empty when nothing is.
func (n *Node) WhyNotHittable() string {
	switch {
	case n.Disabled:
		return "it is disabled"
	case !n.Visible():
		return "it is off the screen"
	case !n.seen.Contains(n.Frame.Centre()):
		return "its centre is scrolled out of view"
	case n.covered != nil:
		return "it is covered by " + n.covered.Describe()
	}
	return ""
}

// TakesText reports whether one can type into the element.
func (n *Node) TakesText() bool { return takesText[n.Type] != "" }

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

// within reports whether n is o or below it.
func (n *Node) within(o *Node) bool {
	for ; n != nil; n = n.parent {
		if n == o {
			return true
		}
	}
	return false
}
