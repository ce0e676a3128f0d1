package ui

import (
	"crypto/sha256"
	"encoding/binary"
)

// identity recognizes an element on a later look. It is a digest of the element's identifier, type and label, and of its context: its key
// if the source gives one, else the nearest named container or the screen's title. A key alone is not enough: lists show other rows in the
// same elements. The position is left out: an inserted row moves everything below, and must not turn one element into another. It is a
// digest because each session stores one for each ref.
type identity [16]byte

func identityOf(identifier, kind, label string, context identity) identity {
	var small [256]byte
	b := append(small[:0], context[:]...)
	for _, text := range [...]string{identifier, kind, label} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	sum := sha256.Sum256(b)
	return identity(sum[:])
}

func contextOf(name string) identity { return identityOf("", "", name, identity{}) }

// typedIdentifier is an accessibility identifier and the type of its element. If the pair is unique on a screen, it identifies the element
// even after its label has changed.
type typedIdentifier struct{ identifier, kind string }

func (n *Node) typedIdentifier() typedIdentifier { return typedIdentifier{n.Identifier, n.Type} }

// identify gives every node its identity, and counts the identifiers. Label, type and context tell elements apart that share
// an identifier (rows of a list often do) or have none: "OK" in one dialog is not "OK" in the next.
func (s *Screen) identify() {
	s.byIdentity = make(map[identity][]*Node, len(s.nodes))
	s.identifiers = make(map[typedIdentifier]int)
	s.layer()
	title, contexts := s.title(), make([]identity, len(s.nodes)) // of each node's content, by order
	for _, n := range s.nodes {
		context := title
		if layer, is := s.layers[n]; is {
			context = layer
		} else if n.parent != nil {
			context = contexts[n.parent.order]
		}
		own := context
		if n.Key != "" {
			own = contextOf("key:" + n.Key)
		}
		n.identity = identityOf(n.Identifier, n.Type, n.Label, own)
		if len(n.Children) > 0 {
			contexts[n.order] = n.content(context)
		}
		if n.Identifier != "" {
			s.identifiers[n.typedIdentifier()]++
		}
		s.byIdentity[n.identity] = append(s.byIdentity[n.identity], n)
		n.twin = int32(len(s.byIdentity[n.identity]))
	}
	for _, n := range s.nodes {
		if n.twin == 1 && len(s.byIdentity[n.identity]) == 1 {
			n.twin = 0
		}
	}
}

func (s *Screen) title() identity { return contextOf("screen:" + s.Beneath()) }

// layer finds the content of sheets and popovers: each has a title of its own, and the elements of the screen beneath keep theirs.
func (s *Screen) layer() {
	for _, n := range s.nodes {
		if n.Identifier != dismissRegion || !n.Visible() {
			continue
		}
		f := regionOf(n)
		for _, c := range f.content {
			if s.layers == nil {
				s.layers = map[*Node]identity{}
			}
			s.layers[c] = contextOf(n.sheet)
		}
	}
}

// layered reports whether the element belongs to a layer presented over the screen.
func (s *Screen) layered(n *Node) bool {
	for ; n != nil; n = n.parent {
		if _, is := s.layers[n]; is || modals[n.Type] {
			return true
		}
	}
	return false
}

// content is the context of an element's children; the element itself has another context.
func (n *Node) content(context identity) identity {
	if n.overApp() { // its window is not one of the app's windows
		return contextOf("over the app")
	}
	if name := n.Name(); name != "" && n.Type != "Window" && n.Type != "Application" {
		return contextOf(n.Type + ":" + name)
	}
	return context
}

// context is the context of an element.
func (s *Screen) context(n *Node) identity {
	for ; n != nil; n = n.parent {
		if layer, is := s.layers[n]; is {
			return layer
		}
		if n.parent == nil {
			break
		}
		if own := n.parent.content(identity{}); own != (identity{}) {
			return own
		}
	}
	return s.title()
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
