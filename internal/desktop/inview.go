package desktop

import (
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// clips reports whether a role hides the parts of its children outside its bounds. A window does so too; menus extend beyond their parents.
func clips(role string) bool {
	switch role {
	case "AXScrollArea", "AXList", "AXTable", "AXOutline", "AXWebArea":
		return true
	}
	return false
}

// InView is an element with the bounds of its visible part: in a scroll area, the rest is under other elements, and input meant for it
// would hit those. An element that is scrolled out of sight has no bounds.
func (t *Tree) InView(n *Node) *Node {
	if n.Bounds == nil {
		return n
	}
	seen := *n.Bounds
	all := t.above(n)
	loose := standsOut(append(all, n))
	for _, above := range all {
		if (clips(above.Role) || above.Role == "AXWindow" && !loose) && above.Bounds != nil && !above.Bounds.Empty() {
			seen = seen.Intersect(*above.Bounds)
		}
	}
	if seen == *n.Bounds {
		return n
	}
	part := *n
	if part.Bounds = &seen; seen.Empty() {
		part.Bounds = nil
	}
	return &part
}

// At is an element that is clicked at one point only: its middle may lie under something that the point avoids.
func (n *Node) At(at ui.Point) *Node {
	part := *n
	part.Bounds = &ui.Rect{X: at.X - 0.5, Y: at.Y - 0.5, W: 1, H: 1}
	return &part
}

// standsOut reports whether an element may show outside of its window, and over others, as what is in a menu does.
func standsOut(with []*Node) bool {
	return slices.ContainsFunc(with, func(n *Node) bool { return strings.HasPrefix(n.Role, "AXMenu") })
}

// Over is the window that lies over an element at a point, which input there would hit instead; nil when none does.
func (t *Tree) Over(n *Node, at ui.Point) *Node {
	own := t.WindowOf(n)
	if own == nil || standsOut(append(t.above(n), n)) {
		return nil
	}
	for _, w := range slices.Backward(t.Windows) {
		switch {
		case w == own:
			return nil
		case !w.Hidden && w.Bounds != nil && w.Bounds.Contains(at):
			return w
		}
	}
	return nil
}

// above are the elements that an element is in.
func (t *Tree) above(n *Node) (all []*Node) {
	var within func(*Node) bool
	within = func(other *Node) bool {
		if other.Key == n.Key {
			return true
		}
		for _, c := range other.Children {
			if within(c) {
				all = append(all, other)
				return true
			}
		}
		return false
	}
	for _, w := range t.Windows {
		if within(w) {
			break
		}
	}
	return all
}
