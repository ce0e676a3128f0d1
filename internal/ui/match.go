package ui

// match pairs the elements of two looks that are the same: first those of one identity, twins by their order, then those of
// one unique identifier, or of one key and type. Each element has at most one partner.
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
