package ui

import (
	"reflect"
	"slices"
)

// Patch is a diff as instructions: what to do to one tree to get the other. Nodes are named by numbers: an element of
// the old tree by its place in document order, an added one by the numbers after those.
type Patch struct {
	Nodes   int         `json:"nodes"` // how many elements the old tree has
	Removed []int       `json:"removed,omitempty"`
	Added   []Placement `json:"added,omitempty"`
	Changed []Placement `json:"changed,omitempty"` // Parent and Index say nothing here
	Moved   []Placement `json:"moved,omitempty"`   // Node is nil: only the place differs
}

// Placement puts an element somewhere.
type Placement struct {
	ID     int   `json:"id"`
	Parent int   `json:"parent"` // -1: it is the root
	Index  int   `json:"index"`  // among the parent's children, in the new tree
	Node   *Node `json:"node,omitempty"`
}

// Patch gives the instructions that make the old tree the new one.
func (d Diff) Patch() Patch {
	p := patching{Diff: d, ids: make(map[*Node]int, len(d.after.nodes))}
	p.patch.Nodes = len(d.before.nodes)
	for _, n := range d.Removed {
		p.patch.Removed = append(p.patch.Removed, int(n.order))
	}
	for i, n := range d.Added {
		p.ids[n] = p.patch.Nodes + i
	}
	for n, old := range d.partner {
		p.ids[n] = int(old.order)
	}
	if root := d.after.Root; root != nil {
		p.place(root, -1, 0, d.partner[root] != nil && d.partner[root].parent == nil)
	}
	return p.patch
}

// patching is a patch that is being made.
type patching struct {
	Diff
	ids   map[*Node]int // of the elements of the new tree
	patch Patch
}

// place notes what is new about n and goes on with its children. stays: it keeps its parent and its order.
func (p *patching) place(n *Node, parent, index int, stays bool) {
	old := p.partner[n]
	switch {
	case old == nil:
		p.patch.Added = append(p.patch.Added, Placement{p.ids[n], parent, index, n.alone()})
	case !stays:
		p.patch.Moved = append(p.patch.Moved, Placement{ID: p.ids[n], Parent: parent, Index: index})
	}
	if old != nil && !old.same(n) {
		p.patch.Changed = append(p.patch.Changed, Placement{ID: p.ids[n], Node: n.alone()})
	}
	kept := p.stayers(n)
	for i, c := range n.Children {
		p.place(c, p.ids[n], i, kept[c])
	}
}

// stayers are those of n's children that were already its children, as many as can stay without changing order.
func (d Diff) stayers(n *Node) map[*Node]bool {
	var same []*Node
	for _, c := range n.Children {
		if old := d.partner[c]; old != nil && old.parent != nil && old.parent == d.partner[n] {
			same = append(same, c)
		}
	}
	return longestRising(same, func(c *Node) int { return int(d.partner[c].order) })
}

// longestRising picks the longest subsequence whose keys rise (patience sorting).
func longestRising(nodes []*Node, key func(*Node) int) map[*Node]bool {
	var tails []int // tails[k]: where the best run of length k+1 ends
	before := make([]int, len(nodes))
	for i, n := range nodes {
		k, _ := slices.BinarySearchFunc(tails, key(n), func(t, want int) int { return key(nodes[t]) - want })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	picked := make(map[*Node]bool, len(tails))
	if len(tails) == 0 {
		return picked
	}
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		picked[nodes[i]] = true
	}
	return picked
}

// Apply makes the new tree from the old one; the old one is left as it is.
func (p Patch) Apply(root *Node) *Node {
	var nodes []*Node
	var copyOf func(*Node) *Node
	copyOf = func(n *Node) *Node {
		c := n.alone()
		nodes = append(nodes, c)
		for _, child := range n.Children {
			c.Children = append(c.Children, copyOf(child))
		}
		return c
	}
	if root != nil {
		root = copyOf(root)
	}
	leaves := map[*Node]bool{} // its old parent
	for _, id := range p.Removed {
		leaves[nodes[id]] = true
	}
	for _, m := range p.Moved {
		leaves[nodes[m.ID]] = true
	}
	if leaves[root] {
		root = nil
	}
	for _, n := range nodes {
		n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return leaves[c] })
	}
	for _, c := range p.Changed {
		children := nodes[c.ID].Children
		*nodes[c.ID] = *c.Node.alone()
		nodes[c.ID].Children = children
	}
	coming := slices.Clone(p.Moved)
	for _, a := range p.Added {
		nodes = append(nodes, a.Node.alone())
	}
	coming = append(coming, p.Added...)
	slices.SortFunc(coming, func(a, b Placement) int { return a.Index - b.Index }) // in order, so that every index is right when it is used
	for _, c := range coming {
		if c.Parent < 0 {
			root = nodes[c.ID]
			continue
		}
		parent := nodes[c.Parent]
		parent.Children = slices.Insert(parent.Children, c.Index, nodes[c.ID])
	}
	return root
}

// alone is a copy of what the element is by itself, without its place in a tree.
func (n *Node) alone() *Node {
	return &Node{
		Type: n.Type, Identifier: n.Identifier, Label: n.Label, Value: n.Value, Placeholder: n.Placeholder, Frame: n.Frame,
		Disabled: n.Disabled, Focused: n.Focused, Selected: n.Selected, Secure: n.Secure, Hidden: n.Hidden,
		Unplaced: n.Unplaced, Made: n.Made, RawType: n.RawType, Actions: n.Actions, Extra: n.Extra,
	}
}

// same reports whether two elements are alike by themselves.
func (n *Node) same(o *Node) bool {
	return n.Type == o.Type && n.Identifier == o.Identifier && n.Label == o.Label && n.Value == o.Value &&
		n.Placeholder == o.Placeholder && n.Frame == o.Frame && n.Disabled == o.Disabled && n.Focused == o.Focused &&
		n.Selected == o.Selected && n.Secure == o.Secure && n.Hidden == o.Hidden && n.Unplaced == o.Unplaced &&
		n.Made == o.Made && n.RawType == o.RawType && slices.Equal(n.Actions, o.Actions) && reflect.DeepEqual(n.Extra, o.Extra)
}

// Equal reports whether two trees are alike, all the way down.
func (n *Node) Equal(o *Node) bool {
	if n == nil || o == nil {
		return n == o
	}
	return n.same(o) && slices.EqualFunc(n.Children, o.Children, (*Node).Equal)
}
