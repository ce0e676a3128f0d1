package ui

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The ways to touch an element.
const (
	AtCentre     = "centre"             // of its frame
	AtKnob       = "knob"               // a switch is as wide as its row, and only its knob reacts
	AboveGesture = "above-home-gesture" // the lowest strip of the screen belongs to the system
	AtVisible    = "visible-part"       // its centre is covered or scrolled away
)

// Reach is the point to touch, and how it was chosen.
type Reach struct {
	At     Point
	Method string
}

const (
	homeStrip  = 34 // points at the bottom that swipe home
	knobInset  = 32 // from the right edge of a wide switch to its knob
	wideSwitch = 100
	gridSteps  = 7 // points to try along each edge of an element's visible part
)

// Reach finds a point at which a tap reaches the element. If no point works, why gives the reason.
func (s *Screen) Reach(n *Node) (r Reach, why string) {
	if n.Disabled || n.Hidden || n.Unplaced || n.holdsOverlay() || !n.Visible() {
		return Reach{}, n.WhyNotHittable()
	}
	for _, r := range s.points(n) {
		if n.seen.Contains(r.At) && s.over(n, r.At) == nil {
			return r, ""
		}
	}
	return Reach{}, n.WhyNotHittable()
}

// Exposed is a point at which input reaches an element, enabled or not: its centre if nothing covers it. If every point is covered, cover
// is the covering element. An element without a visible place has no such point; only an element over the whole app covers it.
func (s *Screen) Exposed(n *Node) (at Point, cover *Node) {
	if s.Behind(n) {
		return Point{}, s.front.node
	}
	if n.Unplaced || !n.Visible() {
		return Point{}, nil
	}
	for _, r := range append([]Reach{{n.seen.Centre(), AtCentre}}, n.grid()...) {
		over := s.over(n, r.At)
		if over == nil {
			return r.At, nil
		}
		if cover == nil {
			cover = over
		}
	}
	return Point{}, cover
}

// points are the points to try, the best first.
func (s *Screen) points(n *Node) []Reach {
	centre := n.Frame.Centre()
	var tries []Reach
	if n.Role() == "switch" || n.Role() == "checkbox" {
		if n.Frame.W > wideSwitch && n.Frame.W > 2*n.Frame.H {
			tries = append(tries, Reach{Point{math.Round(n.Frame.X + n.Frame.W - knobInset), centre.Y}, AtKnob})
		}
	}
	if top := s.strip(); centre.Y >= top && n.seen.Y < top-4 && !n.docked() {
		tries = append(tries, Reach{Point{centre.X, math.Round((n.seen.Y + top) / 2)}, AboveGesture})
	}
	return append(append(tries, Reach{centre, AtCentre}), n.grid()...)
}

// strip is the top edge of the lowest strip of the screen, which belongs to the system.
func (s *Screen) strip() float64 {
	view := viewport(s.Root)
	return view.Y + view.H - homeStrip
}

// docked reports whether the element belongs to a bar or keyboard that the system places at the bottom, above the strip.
func (n *Node) docked() bool {
	for ; n != nil; n = n.parent {
		if n.Type == "TabBar" || n.Type == "Toolbar" || n.Type == "Keyboard" {
			return true
		}
	}
	return false
}

// grid returns points all over the visible part, the nearest to its centre first.
func (n *Node) grid() []Reach {
	var all []Reach
	for i := range gridSteps {
		for j := range gridSteps {
			at := Point{
				math.Floor(n.seen.X + n.seen.W*(float64(i)+0.5)/gridSteps), math.Floor(n.seen.Y + n.seen.H*(float64(j)+0.5)/gridSteps),
			}
			all = append(all, Reach{at, AtVisible})
		}
	}
	centre := n.seen.Centre()
	slices.SortStableFunc(all, func(a, b Reach) int { return int(4 * (away2(a.At, centre) - away2(b.At, centre))) })
	return all
}

func away2(a, b Point) float64 { return (a.X-b.X)*(a.X-b.X) + (a.Y-b.Y)*(a.Y-b.Y) }

// Seen is the part of the element's frame inside the screen and its clipping containers.
func (n *Node) Seen() Rect { return n.seen }

// Typed is the text in a field. An empty field shows its placeholder as its value.
func (n *Node) Typed() string {
	if n.Value == n.Placeholder {
		return ""
	}
	return n.Value
}

// Inset is the frame without a margin on every side.
func (r Rect) Inset(by float64) Rect {
	by = min(by, r.W/2, r.H/2)
	return Rect{r.X + by, r.Y + by, r.W - 2*by, r.H - 2*by}
}

// Towards is the direction in which an element lies outside the frame; empty when it is unknown or the element is inside.
func (r Rect) Towards(n *Node) string {
	if n == nil || n.Unplaced || n.Frame.Empty() {
		return ""
	}
	c := n.Frame.Centre()
	switch {
	case c.Y >= r.Y+r.H:
		return "down"
	case c.Y < r.Y:
		return "up"
	case c.X >= r.X+r.W:
		return "right"
	case c.X < r.X:
		return "left"
	}
	return ""
}

// Viewport is the frame of the screen.
func (s *Screen) Viewport() Rect { return viewport(s.Root) }

// Scrollers are the visible lists and scroll views that may contain the wanted element: the ones around n, the innermost first; for nil,
// lists before plain scroll views, larger first. A list behind a sheet is left out: the finger would move the sheet.
func (s *Screen) Scrollers(n *Node) []*Node {
	var found []*Node
	if n != nil {
		for p := n.parent; p != nil; p = p.parent {
			if kinds[p.Type].clips && p.Visible() {
				found = append(found, p)
			}
		}
		return found
	}
	found = s.find(func(c *Node) bool { return kinds[c.Type].clips && c.Visible() && !c.underKeyboard() && !s.Behind(c) })
	size := func(c *Node) float64 {
		if c.Type == "ScrollView" {
			return c.seen.W * c.seen.H / 1e6 // a page that holds lists moves with its lists, rarely the other way round
		}
		return c.seen.W * c.seen.H
	}
	slices.SortStableFunc(found, func(a, b *Node) int { return cmp.Compare(size(b), size(a)) })
	return found
}

// BackButton is the button that leads back: in a modal, a button that closes it; else the back button or the first button on the left of
// the topmost navigation bar. It may be nil.
func (s *Screen) BackButton() *Node {
	if m := s.Modal(); m != nil {
		return m.button("close", "cancel", "done", "dismiss", "back")
	}
	bar := s.last(func(n *Node) bool { return n.Type == "NavigationBar" && n.Visible() })
	if bar == nil {
		return nil
	}
	return bar.backButton()
}

// backButton is the button of a navigation bar that leads back, or nil.
func (n *Node) backButton() (found *Node) {
	if named := n.button("back", "backbutton"); named != nil {
		return named
	}
	n.Walk(func(c *Node) bool {
		if found == nil && c.Role() == "button" && c.Visible() && c.Frame.Centre().X < n.Frame.Centre().X {
			found = c
		}
		return true
	})
	return found
}

// KeyboardExit is the key or the button above the keyboard that hides it, or nil.
func (s *Screen) KeyboardExit() *Node {
	keyboard := s.Keyboard()
	if keyboard == nil {
		return nil
	}
	if key := keyboard.button("hide keyboard", "dismiss", "dismiss keyboard"); key != nil {
		return key
	}
	return s.last(func(n *Node) bool {
		return n.Role() == "button" && n.Visible() && strings.EqualFold(n.Label, "Done") && n.parent != nil && n.parent.Type == "Toolbar"
	})
}

// button is the first visible button below an element that has one of these names.
func (n *Node) button(names ...string) (found *Node) {
	for _, name := range names {
		n.Walk(func(c *Node) bool {
			if found == nil && (c.Role() == "button" || c.Role() == "key") && c.Visible() &&
				(strings.EqualFold(c.Label, name) || strings.EqualFold(c.Identifier, name)) {
				found = c
			}
			return found == nil
		})
	}
	return found
}

// Actionable are the elements in sight that an agent may want to act on.
func (s *Screen) Actionable() []*Node {
	return s.find(func(n *Node) bool { return n.Interactive() && n.Visible() && !n.Made && !n.underKeyboard() })
}

// Mark is an element to mark on a picture, and its visible part there.
type Mark struct {
	Node  *Node
	Frame Rect
}

// Marked are the actionable elements that both a picture and the outline show. Covered elements are left out; for an element partly under a
// keyboard or a bar, the mark is the visible rest.
func (s *Screen) Marked() []Mark {
	var marks []Mark
	for _, n := range s.find(func(n *Node) bool { return n.Interactive() && s.worthShowing(n) && !n.Unplaced && n.covered == nil }) {
		if f := s.uncovered(n); !f.Empty() {
			marks = append(marks, Mark{n, f})
		}
	}
	return marks
}

// uncovered is the part of an element's frame above or below the keyboard and the full-width bars.
func (s *Screen) uncovered(n *Node) Rect {
	f := n.seen
	for _, o := range s.nodes[n.order+1:] {
		if o.Type != "Keyboard" && o.Type != "TabBar" && o.Type != "Toolbar" && o.Type != "NavigationBar" ||
			!o.Visible() || n.Within(o) || o.docks(n, f.Centre()) {
			continue
		}
		h := o.hidden()
		if h.X > f.X || h.X+h.W < f.X+f.W || h.Intersect(f).Empty() {
			continue
		}
		if h.Centre().Y > f.Centre().Y {
			f.H = h.Y - f.Y
		} else {
			f.H -= h.Y + h.H - f.Y
			f.Y = h.Y + h.H
		}
	}
	return f
}

// Shows reports whether a picture of this many pixels shows the whole frame upright. Rounded edges are accepted.
func (r Rect) Shows(width, height float64) bool {
	return width > 0 && height > 0 && math.Abs(width*r.H-height*r.W) <= 1.5*max(r.W, r.H)
}
