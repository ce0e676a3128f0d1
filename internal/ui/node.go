// Package ui models the user interface for agents. A Screen is one look at a device: a tree of Nodes with roles, visibility and identities.
// Refs give nodes short names that last for a session, Query and Locator find nodes, and Compare returns the Diff of two looks, from which
// Judge derives an action's outcome. Package outline renders screens for models. This package is pure: drivers hand it trees, and it never
// reads a device.
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

// Centre is the point a tap would hit, rounded to whole points.
func (r Rect) Centre() Point { return Point{math.Round(r.X + r.W/2), math.Round(r.Y + r.H/2)} }

// Contains reports whether p lies inside.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// Intersect is the area that two frames share; empty when they do not overlap.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	w, h := min(r.X+r.W, o.X+o.W)-x, min(r.Y+r.H, o.Y+o.H)-y
	if w <= 0 || h <= 0 {
		return Rect{}
	}
	return Rect{x, y, w, h}
}

// Empty reports whether the frame has no area.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Node is one element of the tree.
type Node struct {
	Type        string // short XCUI name: Button, StaticText, TextField, …
	Identifier  string
	Key         string // the source's own unique name for the element, the same on every look; empty if the source gives none
	Given       string // the short name from its device, such as btn_a1b2; empty if refs name it
	Label       string
	Value       string
	Placeholder string
	Frame       Rect
	Disabled    bool
	Focused     bool
	Selected    bool
	Secure      bool
	Hidden      bool           // the source says that it is hidden; its children may be visible
	Unplaced    bool           // the source gave no frame
	Made        bool           // not from the source: it joins several roots
	RawType     string         // the source's name of the type, if it differs from Type
	Source      string         // the source of the element if not accessibility: SourceWeb
	Actions     []string       // custom accessibility actions
	Extra       map[string]any // further facts from the source, unchanged
	Children    []*Node

	parent   *Node
	told     bool // an outline has a line for it
	depth    int32
	order    int32  // position in the document, which is also the painting order
	twin     int32  // 0 when its identity is unique on its screen, else 1, 2, … in document order
	seen     Rect   // the part of its frame that lies within the screen and what clips it
	covered  *Node  // the element that hides its centre
	sheet    string // of a dismiss region: the name of its sheet
	identity identity
}

// SourceWeb is the Source of an element that was read from the page of a web view.
const SourceWeb = "web"

// Role is the ARIA-like role of the element, as models know it.
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

// Interactive reports whether an agent may want to act on the element. The type alone does not decide: frameworks with self-drawn controls
// use the type Other and list actions instead.
func (n *Node) Interactive() bool { return kinds[n.Type].interactive || len(n.Actions) > 0 }

// Hittable reports whether a tap on the element's centre would reach it.
func (n *Node) Hittable() bool { return n.WhyNotHittable() == "" }

// Exposed reports whether a finger on the element's centre would meet it. Apple's tools call that hittable; a disabled element counts too.
func (n *Node) Exposed() bool {
	enabled := *n
	enabled.Disabled = false
	return enabled.Hittable()
}

// WhyNotHittable is the reason in words; empty when the element is hittable.
func (n *Node) WhyNotHittable() string {
	switch {
	case n.Disabled:
		return "it is disabled"
	case n.Hidden:
		return "it is hidden"
	case n.Unplaced:
		return "its place is unknown"
	case n.holdsOverlay():
		return "it is only the container of a system overlay"
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

// Name is the element's label, else its placeholder, else its identifier.
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

// Scrolls reports whether the element clips its content, so that content outside its frame is only scrolled away.
func (n *Node) Scrolls() bool { return kinds[n.Type].clips }

// Landmark reports whether the element is a container that structures the screen, such as a list, a bar or a dialog.
func (n *Node) Landmark() bool { return kinds[n.Type].frame }

// Takes reports whether the element is an alert, a sheet, a popover or a menu, which takes every touch on the app.
func (n *Node) Takes() bool { return takers[n.Type] }

// Covered is the element that hides this element's centre, or nil.
func (n *Node) Covered() *Node { return n.covered }

// OnlyGroups reports whether the element is a container without information of its own.
func (n *Node) OnlyGroups() bool { return kinds[n.Type].plain }

// Behind reports whether an alert, a sheet or a menu takes every touch on the element.
func (s *Screen) Behind(n *Node) bool { return s.front.node != nil && s.front.hides(n) }
