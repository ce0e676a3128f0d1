package ui

import "math"

// Mark is an element to point out on a picture, and the part of it that can be seen there.
type Mark struct {
	Node  *Node
	Frame Rect
}

// Marked are the elements to act on that a picture shows and the outline names: none that is covered, and of one that lies under a
// keyboard or a bar in part only the rest.
func (s *Screen) Marked() []Mark {
	var marks []Mark
	for _, n := range s.find(func(n *Node) bool { return n.Interactive() && s.worthShowing(n) && !n.Unplaced && n.covered == nil }) {
		if f := s.uncovered(n); !f.Empty() {
			marks = append(marks, Mark{n, f})
		}
	}
	return marks
}

// uncovered is what can be seen of an element's frame above or below the keyboard and the bars that reach over its whole width.
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

// Shows reports whether a picture of this many pixels shows all of the frame, the right way up. Its edges were rounded.
func (r Rect) Shows(width, height float64) bool {
	return width > 0 && height > 0 && math.Abs(width*r.H-height*r.W) <= 1.5*max(r.W, r.H)
}
