package ui

// identity is what makes an element the same one after the screen was drawn again. Position is not part of it: an
// inserted row moves everything below, and must not turn one element into another.
type identity struct {
	identifier string
	kind       string
	label      string
	context    string // the nearest named container, or the screen's title
}

// identify gives every node its identity. An identifier that is unique on the screen is enough. Where it is not (rows
// of a list often share one), or where there is none, it is label, type and context that tell elements apart: "OK" in
// one dialog is not "OK" in the next.
func (s *Screen) identify() {
	named := map[identity]int{}
	for _, n := range s.nodes {
		named[identity{identifier: n.Identifier, kind: n.Type}]++
	}
	title := s.Title()
	for _, n := range s.nodes {
		short := identity{identifier: n.Identifier, kind: n.Type}
		if n.Identifier != "" && named[short] == 1 {
			n.identity = short
		} else {
			n.identity = identity{n.Identifier, n.Type, n.Label, contextOf(n, title)}
		}
		s.byIdentity[n.identity] = append(s.byIdentity[n.identity], n)
	}
}

func contextOf(n *Node, title string) string {
	for p := n.parent; p != nil && p.Type != "Window" && p.Type != "Application"; p = p.parent {
		if name := p.Name(); name != "" {
			return p.Type + ":" + name
		}
	}
	return "screen:" + title
}

// claims are the nodes that could be the element of this identity: one is a match, several are ambiguous.
func (s *Screen) claims(id identity) []*Node {
	if id.label != "" || id.context != "" {
		return s.byIdentity[id]
	}
	// Known by identifier alone: if others carry it now, none of them is certain.
	return s.find(func(n *Node) bool { return n.Identifier == id.identifier && n.Type == id.kind })
}

func (s *Screen) find(is func(*Node) bool) []*Node {
	var found []*Node
	for _, n := range s.nodes {
		if is(n) {
			found = append(found, n)
		}
	}
	return found
}
