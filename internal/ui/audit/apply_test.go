package audit

import (
	"slices"

	"ios-agent/internal/ui"
)

// Apply is a copy of the tree in which the fix of a finding was made: what the property of every fix is tried on.
func Apply(root *ui.Node, f Finding) *ui.Node {
	copies := map[*ui.Node]*ui.Node{}
	made := copied(root, copies)
	n := copies[f.node]
	if n == nil {
		return made
	}
	if f.Fix.Identifier != "" {
		n.Identifier = f.Fix.Identifier
	}
	if f.Fix.Label != "" {
		n.Label = f.Fix.Label
	}
	if f.Fix.Frame != nil {
		old := n.Frame
		n.Frame = *f.Fix.Frame
		if f.Rule == "off-container" && holds(n) {
			takeAlong(n, old)
		}
	}
	if len(f.Fix.order) > 0 {
		reorder(copies[f.Fix.order[0].Parent()], f.Fix.order, copies)
	}
	return made
}

func copied(n *ui.Node, copies map[*ui.Node]*ui.Node) *ui.Node {
	c := *n
	c.Children = make([]*ui.Node, len(n.Children))
	for i, child := range n.Children {
		c.Children[i] = copied(child, copies)
	}
	copies[n] = &c
	return &c
}

// takeAlong moves what lay within a container with it.
func takeAlong(container *ui.Node, old ui.Rect) {
	var move func(*ui.Node)
	move = func(n *ui.Node) {
		was := n.Frame
		if !n.Unplaced && !was.Empty() && inside(was, old) {
			n.Frame.X, n.Frame.Y = was.X+container.Frame.X-old.X, was.Y+container.Frame.Y-old.Y
			n.Frame = fit(n.Frame, container.Frame)
		}
		if holds(n) {
			takeAlong(n, was)
			return
		}
		for _, c := range n.Children {
			move(c)
		}
	}
	for _, c := range container.Children {
		move(c)
	}
}

// reorder puts some children of an element into an order, in the places that they have together.
func reorder(parent *ui.Node, order []*ui.Node, copies map[*ui.Node]*ui.Node) {
	next := 0
	among := make([]*ui.Node, len(order))
	for i, n := range order {
		among[i] = copies[n]
	}
	for i, c := range parent.Children {
		if slices.Contains(among, c) {
			parent.Children[i] = among[next]
			next++
		}
	}
}
