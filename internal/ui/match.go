package ui

// match pairs the elements of two looks that are the same: first those of one identity, twins by their order, then those of
// one unique identifier. Each element has at most one partner.
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
	byName := map[typedIdentifier]*Node{}
	for _, old := range before.nodes {
		if before.uniquelyIdentified(old) && !taken[old] {
			byName[old.typedIdentifier()] = old
		}
	}
	for _, n := range after.nodes {
		if old := byName[n.typedIdentifier()]; old != nil && partner[n] == nil && after.uniquelyIdentified(n) {
			pair(old, n)
		}
	}
	return partner
}

// counterpart is the node of s that has the identity of n on another screen.
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
