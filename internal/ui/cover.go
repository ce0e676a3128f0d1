package ui

import (
	"slices"
	"strings"
)

// cellSize is the edge of a square of the grid below, in points: about the size of a control.
const cellSize = 64

type cell struct{ x, y int }

func cellOf(p Point) cell { return cell{int(p.X) / cellSize, int(p.Y) / cellSize} }

// dismissRegion is what UIKit calls the area beside a page sheet, popover or menu: a touch there closes it and reaches nothing
// behind.
const dismissRegion = "PopoverDismissRegion"

// takers are the types that take every touch on the app, also touches outside their frame.
var takers = map[string]bool{"Alert": true, "Sheet": true, "Popover": true, "Menu": true}

// front is the element that lies over a whole app: an alert, sheet, popover or menu, or the dismiss region of one.
type front struct {
	node    *Node
	region  *Node   // closes it when touched; nil if no such region exists
	content []*Node // the elements beside the region
}

// hides reports whether a node lies behind the front. Later elements of the document, such as a keyboard, lie over the front.
func (f front) hides(n *Node) bool {
	return n.order < f.node.order && n != f.region && !f.node.Within(n) && !slices.ContainsFunc(f.content, n.Within)
}

// cover finds, for each node, the element that is painted over its centre. Only solid elements hide others; a container stretched over the
// screen hides nothing. The solid elements are laid out on a grid, so that a screen of thousands of elements does not compare each with
// each.
func (s *Screen) cover() {
	for _, n := range s.nodes {
		if n.takes() && n.Visible() {
			s.front = s.front.behind(n)
		}
	}
	s.grid = s.lay()
	for _, n := range s.nodes {
		n.covered = s.over(n, n.Frame.Centre())
	}
}

// takes reports whether the element takes every touch on the app. A sheet in a popover and a menu in a menu bar do not.
func (n *Node) takes() bool {
	if n.Identifier == dismissRegion {
		return true
	}
	if !takers[n.Type] {
		return false
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.Type == "Popover" || p.Type == "MenuBar" {
			return false
		}
	}
	return true
}

// solid reports whether the element hides what lies under it: by its type, or as a banner or call bar of another process. The
// region beside a sheet is empty.
func (n *Node) solid() bool {
	return n.Identifier != dismissRegion && (kinds[n.Type].solid || n.banner())
}

// banner reports whether the element is a named overlay that the system shows over a part of the app.
func (n *Node) banner() bool {
	if n.parent == nil || n.Name() == "" || n.Type == "Application" || n.Type == "Window" {
		return false
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.overApp() {
			return n.Frame.H < p.Frame.H/2
		}
		if p.Name() != "" {
			return false // it is a part of a banner
		}
	}
	return false
}

// holdsOverlay reports whether the element is only a container of a system overlay: outside the overlay's content, touches reach the app.
func (n *Node) holdsOverlay() bool {
	for p := n; p != nil && !kinds[p.Type].solid; p = p.parent {
		if p.overApp() {
			return true
		}
		if p.Name() != "" {
			return false
		}
	}
	return false
}

// behind returns the new front when another element is painted over this one. A popover or menu keeps its dismiss region.
func (f front) behind(n *Node) front {
	switch {
	case n.Identifier == dismissRegion:
		return regionOf(n)
	case f.node != nil && f.node == f.region && (n.Type == "Popover" || n.Type == "Menu"):
		return front{n, f.region, f.content}
	}
	return front{node: n}
}

func regionOf(n *Node) front {
	// The region of a sheet is a plain view before the sheet's content; the region of a popover is a button after it.
	x, content := n, []*Node(nil)
	for ; x.parent != nil && content == nil; x = x.parent {
		at := slices.Index(x.parent.Children, x)
		if n.Type != "Button" {
			content = x.parent.Children[at+1:]
		} else {
			content = slices.Concat(x.parent.Children[:at], x.parent.Children[at+1:])
		}
		if !slices.ContainsFunc(content, (*Node).Visible) {
			content = nil
		}
	}
	f := front{n, n, content}
	n.sheet = f.sheetName()
	return f
}

// PullCloses reports whether dragging a list down may close the sheet that holds it: true unless the list shows that it has more rows
// above.
func (s *Screen) PullCloses(list *Node) bool {
	if s.front.region == nil || s.front.node != s.front.region || s.Behind(list) {
		return false // a popover or a menu stays
	}
	more := false
	list.Walk(func(n *Node) bool {
		more = more || n.Frame.Y < list.Frame.Y && !n.Frame.Empty()
		return !more
	})
	return !more
}

// over returns the element painted over another one at a point, or nil.
func (s *Screen) over(n *Node, at Point) (top *Node) {
	if s.Behind(n) {
		return s.front.node
	}
	if n == s.front.region {
		for _, c := range s.front.content {
			if c.seen.Contains(at) {
				return c // a touch there hits the sheet, not the region beside it
			}
		}
	}
	g := s.grid
	if g == nil {
		g = s.lay()
	}
	above := n.order
	for _, solids := range [...][]*Node{g.vast, g.solids[cellOf(at)]} { // the topmost first, so that a pile is not searched to its bottom
		for i := len(solids) - 1; i >= 0 && solids[i].order > above; i-- {
			if o := solids[i]; o.hidden().Contains(at) && !o.Within(n) && !n.Within(o) && !o.docks(n, at) {
				top, above = o, o.order
			}
		}
	}
	if k := top.keyboard(); k != nil && !n.Within(k) {
		return k // name the keyboard instead of a key: the caller can hide it
	}
	return top
}

// dockHeight is the height of the bar with the globe and the microphone. The bar lies between the keyboard element and the bottom of the
// screen, and does not belong to the element.
const dockHeight = 100

// hidden is the part of the screen that a solid element hides. A keyboard at the bottom also hides its dock.
func (n *Node) hidden() Rect {
	if n.Type != "Keyboard" {
		return n.seen
	}
	root := n
	for root.parent != nil {
		root = root.parent
	}
	view, area := viewport(root), n.seen
	if below := view.Y + view.H - (area.Y + area.H); below > 0 && below <= dockHeight && area.W >= view.W {
		area.H += below
	}
	return area
}

// docks reports whether an element is a key of a keyboard's dock.
func (n *Node) docks(key *Node, at Point) bool {
	return n.Type == "Keyboard" && !n.seen.Contains(at) && n.window() != nil && n.window() == key.window()
}

func (n *Node) window() *Node {
	for n != nil && n.Type != "Window" {
		n = n.parent
	}
	return n
}

// asCover names an element that lies over others. A dismiss region is named after its sheet.
func (n *Node) asCover() string {
	if n.sheet != "" {
		return n.sheet
	}
	return n.Describe()
}

// filled reports whether the elements beside the region hold values that are lost when a touch closes the sheet.
func (f front) filled() (found bool) {
	for _, c := range f.content {
		c.Walk(func(d *Node) bool {
			found = found || d.Interactive() && (d.Typed() != "" || !d.TakesText() && d.Value != "")
			return !found
		})
	}
	return found
}

// closers are the names of buttons that close a sheet, and do not go back in it.
var closers = []string{"cancel", "close", "dismiss", "done"}

// pages reports whether the sheet shows a page that another one leads to. The values of the earlier pages are not on the screen.
func (f front) pages() (found bool) {
	for _, c := range f.content {
		c.Walk(func(d *Node) bool {
			if d.Type == "NavigationBar" && d.Visible() {
				back := d.backButton()
				found = found || back != nil && !slices.Contains(closers, strings.ToLower(back.Label))
			}
			return !found
		})
	}
	return found
}

// sheetName is the name of a dismiss region's sheet.
func (f front) sheetName() string {
	var named *Node
	for _, c := range f.content {
		c.Walk(func(d *Node) bool {
			if named == nil && (modals[d.Type] || d.Type == "NavigationBar") && d.Visible() && d.Name() != "" {
				named = d
			}
			return named == nil
		})
	}
	if named == nil {
		return "a sheet"
	}
	return "sheet " + Quote(named.Name())
}

// vast reports whether a frame is larger than any screen; broken sources produce such frames.
func (r Rect) vast() bool {
	const edge = 1 << 16
	return !(r.X >= -edge && r.Y >= -edge && r.X+r.W <= edge && r.Y+r.H <= edge) // also what is not a number
}

// grid holds the solid elements by their place.
type grid struct {
	solids map[cell][]*Node
	vast   []*Node // too large for a grid; no real screen has such elements
}

func (t *tree) lay() *grid {
	g := &grid{solids: map[cell][]*Node{}}
	for _, n := range t.nodes {
		switch {
		case !n.solid() || !n.Visible() || n.Unplaced:
		case n.seen.vast():
			g.vast = append(g.vast, n)
		default:
			g.enter(n)
		}
	}
	return g
}

// enter puts a node into every cell that its hidden area touches.
func (g *grid) enter(n *Node) {
	area := n.hidden()
	first, last := cellOf(Point{area.X, area.Y}), cellOf(Point{area.X + area.W, area.Y + area.H})
	for x := first.x; x <= last.x; x++ {
		for y := first.y; y <= last.y; y++ {
			g.solids[cell{x, y}] = append(g.solids[cell{x, y}], n)
		}
	}
}
