package ui

// identity is what makes an element the same one after the screen was drawn again. Position is not part of it: an
// inserted row moves everything below, and must not turn one element into another.
type identity struct {
	identifier string
	kind       string
	label      string
	context    string // the nearest named container, or the screen's title
}

// badge is a developer's name for an element. Where it is unique it says enough by itself, so that an element keeps its
// identity when its label changes.
type badge struct{ identifier, kind string }

func (n *Node) badge() badge { return badge{n.Identifier, n.Type} }

// identify gives every node its identity, and counts the badges. Label, type and context tell elements apart that share
// an identifier (rows of a list often do) or have none: "OK" in one dialog is not "OK" in the next.
func (s *Screen) identify() {
	s.badges = make(map[badge]int)
	title := "screen:" + s.Title()
	contexts := make([]string, len(s.nodes)) // of each node's content, by order
	for _, n := range s.nodes {
		context := title
		if n.parent != nil {
			context = contexts[n.parent.order]
		}
		n.identity = identity{n.Identifier, n.Type, n.Label, context}
		contexts[n.order] = context
		if name := n.Name(); name != "" && n.Type != "Window" && n.Type != "Application" {
			contexts[n.order] = n.Type + ":" + name
		}
		if n.Identifier != "" {
			s.badges[n.badge()]++
		}
		s.byIdentity[n.identity] = append(s.byIdentity[n.identity], n)
		n.twin = len(s.byIdentity[n.identity])
	}
	for _, n := range s.nodes {
		if n.twin == 1 && len(s.byIdentity[n.identity]) == 1 {
			n.twin = 0
		}
	}
}

// badged reports whether the node's identifier alone says which it is.
func (s *Screen) badged(n *Node) bool { return n.Identifier != "" && s.badges[n.badge()] == 1 }

func (s *Screen) find(is func(*Node) bool) []*Node {
	var found []*Node
	for _, n := range s.nodes {
		if is(n) {
			found = append(found, n)
		}
	}
	return found
}
