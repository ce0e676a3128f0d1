package ui

// identity is how an element is known again on a later look. Its position is not part of it: an inserted row moves everything
// below, and must not turn one element into another.
type identity struct {
	identifier string
	kind       string
	label      string
	context    string // the nearest named container, or the screen's title
}

// typedIdentifier is an accessibility identifier and the type of the element that has it. If it is unique on a screen, it is
// enough to know the element again when its label has changed.
type typedIdentifier struct{ identifier, kind string }

func (n *Node) typedIdentifier() typedIdentifier { return typedIdentifier{n.Identifier, n.Type} }

// identify gives every node its identity, and counts the identifiers. Label, type and context tell elements apart that share
// an identifier (rows of a list often do) or have none: "OK" in one dialog is not "OK" in the next.
func (s *Screen) identify() {
	s.identifiers = make(map[typedIdentifier]int)
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
		if n.overApp() { // its window is not one of the app's windows
			contexts[n.order] = "over the app"
		}
		if n.Identifier != "" {
			s.identifiers[n.typedIdentifier()]++
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

// unique reports whether the node's identifier alone says which it is.
func (s *Screen) uniquelyIdentified(n *Node) bool {
	return n.Identifier != "" && s.identifiers[n.typedIdentifier()] == 1
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
