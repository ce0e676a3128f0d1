package ui

import "slices"

// Diff is the difference between two looks at a device.
type Diff struct {
	Added   []*Node
	Removed []*Node
	Changed []Change
	Moved   int // number of elements that changed only their place, without elements that move by themselves

	Doubtful bool // elements were left out that may have started to change by themselves before the input

	Before, After *Screen
	Partner       map[*Node]*Node // of after's nodes, in before

	moved []*Node // of after
}

// Change is one changed field of an element that both looks show.
type Change struct {
	Field    string
	Old, New string
	Before   *Node
	After    *Node
}

// Holds reports whether the changed state is true now.
func (c Change) Holds() bool { return c.New == yes(true) }

// Compare returns the differences between two screens. Elements are matched by identity; twins by their order.
func Compare(before, after *Screen) Diff {
	d := Diff{Before: before, After: after, Partner: match(before, after)}
	seen := make(map[*Node]bool, len(d.Partner))
	for _, n := range after.nodes {
		old := d.Partner[n]
		if old == nil {
			d.Added = append(d.Added, n)
			continue
		}
		seen[old] = true
		d.compare(old, n)
	}
	for _, n := range before.nodes {
		if !seen[n] {
			d.Removed = append(d.Removed, n)
		}
	}
	return d
}

// Nodes are the new and changed elements of the later look, in document order.
func (d Diff) Nodes() []*Node {
	different := map[*Node]bool{}
	for _, n := range slices.Concat(d.Added, d.moved) {
		different[n] = true
	}
	for _, c := range d.Changed {
		different[c.After] = true
	}
	var nodes []*Node
	for _, n := range d.After.Nodes() {
		if different[n] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (d *Diff) compare(old, n *Node) {
	count := len(d.Changed)
	for _, f := range [...]Change{
		{Field: "label", Old: old.Label, New: n.Label},
		{Field: "value", Old: old.Value, New: n.Value},
		{Field: "enabled", Old: yes(!old.Disabled), New: yes(!n.Disabled)},
		{Field: "focused", Old: yes(old.Focused), New: yes(n.Focused)},
		{Field: "selected", Old: yes(old.Selected), New: yes(n.Selected)},
		{Field: "placeholder", Old: old.Placeholder, New: n.Placeholder},
	} {
		if f.Old != f.New {
			f.Before, f.After = old, n
			d.Changed = append(d.Changed, f)
		}
	}
	if len(d.Changed) == count && old.Frame != n.Frame && !n.ambient() {
		d.moved = append(d.moved, n)
		d.Moved++
	}
}

// lasting is the diff without ambient elements. Their focus counts, as it does for an outcome.
func (d Diff) lasting() Diff {
	d.Added = slices.DeleteFunc(slices.Clone(d.Added), (*Node).ambient)
	d.Removed = slices.DeleteFunc(slices.Clone(d.Removed), (*Node).ambient)
	d.Changed = slices.DeleteFunc(slices.Clone(d.Changed), func(c Change) bool { return c.Field != "focused" && c.Before.ambient() })
	return d
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// match pairs the elements of two looks that are the same: first by identity, twins by their order, then by unique identifier, or by key
// and type. Each element has at most one partner.
func match(before, after *Screen) (partner map[*Node]*Node) {
	partner = make(map[*Node]*Node, len(after.nodes))
	taken := make(map[*Node]bool, len(after.nodes))
	pair := func(old, n *Node) {
		partner[n] = old
		taken[old] = true
	}
	for _, n := range after.nodes {
		if old := before.counterpart(n); old != nil {
			pair(old, n)
		}
	}
	byName, byKey := map[typedIdentifier]*Node{}, map[string]*Node{}
	for _, old := range before.nodes {
		if taken[old] {
			continue
		}
		if before.uniquelyIdentified(old) {
			byName[old.typedIdentifier()] = old
		}
		if old.Key != "" {
			byKey[old.Key] = old
		}
	}
	for _, n := range after.nodes {
		if partner[n] != nil {
			continue
		}
		if old := byName[n.typedIdentifier()]; old != nil && after.uniquelyIdentified(n) {
			pair(old, n)
		} else if old := byKey[n.Key]; old != nil && old.Type == n.Type && !taken[old] {
			pair(old, n)
		}
	}
	return partner
}

// Again is the element n of an earlier look; nil when it is gone.
func (s *Screen) Again(n *Node) *Node { return s.counterpart(n) }

// counterpart is the node of s with the identity of n, a node of another screen.
func (s *Screen) counterpart(n *Node) *Node {
	mine := s.byIdentity[n.identity]
	switch {
	case n.twin == 0 && len(mine) == 1:
		return mine[0]
	case n.twin > 0 && int(n.twin) <= len(mine):
		return mine[n.twin-1]
	}
	return nil
}
