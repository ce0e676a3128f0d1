package ui

import (
	"cmp"
	"fmt"
	"slices"
)

// Locator says which element is meant to a reader who has no ref of it: another session, a file, a person. A ref ends with its session; a
// locator is looked up anew on each screen, and Matches says how sure it was on the screen that it was made on. It never has a value, and
// texts that an outline would cut are cut or left out. All that it says must hold, as in a Query, whose inputs take it as it is.
type Locator struct {
	Identifier string  `json:"identifier,omitempty"`
	Role       string  `json:"role,omitempty"`
	Label      string  `json:"label,omitempty"`
	Within     string  `json:"within,omitempty"` // identifier or label of an element around it, where only that makes it unique
	Index      *int    `json:"index,omitempty"`  // which of several, from 0, where nothing makes it unique
	Matches    Matches `json:"matches"`
}

// Matches counts the elements of a screen that parts of a locator fit.
type Matches struct {
	Identifier int `json:"by_identifier,omitempty"` // elements of its identifier
	RoleLabel  int `json:"by_role_label"`           // elements of its role and label
	Whole      int `json:"whole"`                   // elements that all of it fits, whichever its index is
}

// Unique reports whether the locator fitted one element alone on the screen that it was made on.
func (l Locator) Unique() bool { return l.Matches.Whole == 1 }

// mostAround is how many named elements around another are tried to make its locator unique.
const mostAround = 8

// Locate describes an element of the screen by all that a locator can say of it, and by an element around it or an index if that is not
// enough to tell it apart.
func (s *Screen) Locate(n *Node) Locator {
	l := Locator{Identifier: uncut(n.Identifier), Role: uncut(n.Role()), Label: n.openLabel()}
	found, matches := s.Resolve(l)
	if len(found) > 1 {
		if l.Within = s.around(n, found); l.Within != "" {
			matches.Whole = 1
		} else {
			l.Index = new(slices.Index(found, n))
		}
	}
	l.Matches = matches
	return l
}

// Smallest leaves out what the locator does not need to be unique: of an identifier that is unique all else, else of a role and label that
// are.
func (l Locator) Smallest() Locator {
	switch {
	case l.Matches.Identifier == 1:
		l.Role, l.Label = "", ""
	case l.Matches.RoleLabel == 1:
		l.Identifier = ""
	}
	return l
}

// Resolve finds the elements of a screen that a locator fits, and counts what its parts fit. An index picks one of them; they are counted
// as Find counts them.
func (s *Screen) Resolve(l Locator) ([]*Node, Matches) {
	var found []*Node
	var matches Matches
	described := Query{Role: l.Role, Label: l.Label}
	for _, n := range s.Nodes() {
		identified, fits := l.Identifier != "" && n.Identifier == l.Identifier, described.matches(n, nil)
		if identified {
			matches.Identifier++
		}
		if fits {
			matches.RoleLabel++
		}
		if fits && (identified || l.Identifier == "") {
			found = append(found, n)
		}
	}
	if l.Within != "" {
		boxes := s.Named(l.Within)
		found = slices.DeleteFunc(found, func(n *Node) bool {
			return !slices.ContainsFunc(boxes, func(box *Node) bool { return n != box && n.Within(box) })
		})
	}
	matches.Whole = len(found)
	found = findableFirst(found)
	switch {
	case l.Index == nil:
		return found, matches
	case *l.Index < 0 || *l.Index >= len(found):
		return nil, matches
	}
	return found[*l.Index : *l.Index+1], matches
}

// findableFirst puts the elements that Find counts before those that only a ref names: keys, and what lies in a control that fits too.
func findableFirst(nodes []*Node) []*Node {
	first := preferActionable(slices.DeleteFunc(slices.Clone(nodes), (*Node).underKeyboard))
	listed := map[*Node]bool{}
	for _, n := range first {
		listed[n] = true
	}
	return append(first, slices.DeleteFunc(nodes, func(n *Node) bool { return listed[n] })...)
}

// around names the nearest element around n that holds no other of the nodes, and whose name means it alone; empty: there is none.
func (s *Screen) around(n *Node, nodes []*Node) string {
	tried := 0
	for p := n.parent; p != nil && tried < mostAround; p = p.parent {
		name := cmp.Or(uncut(p.Identifier), p.openLabel())
		if name == "" {
			continue
		}
		tried++
		if slices.ContainsFunc(nodes, func(o *Node) bool { return o != n && o != p && o.Within(p) }) {
			return "" // and whatever lies around p holds both
		}
		if named := s.Named(name); len(named) == 1 && named[0] == p {
			return name
		}
	}
	return ""
}

// openLabel is the label as a locator says it. Some sources tell what was typed into a secure field as its label, or as the text in it.
func (n *Node) openLabel() string {
	for p := n; p != nil; p = p.parent {
		if p.Secure && (p != n || n.Label == n.Value) {
			return ""
		}
	}
	if Cut(n.Label) {
		return Inline(n.Label)
	}
	return n.Label
}

// uncut is a text that is matched exactly, so that a part of it is of no use; empty when it is too long.
func uncut(text string) string {
	if Cut(text) {
		return ""
	}
	return text
}

// String spells the locator as the inputs that take it.
func (l Locator) String() string {
	said := Query{Identifier: l.Identifier, Role: l.Role, Label: l.Label, Within: l.Within, Index: l.Index}.String()
	if l.Index != nil {
		said += fmt.Sprintf(" of %d", l.Matches.Whole)
	}
	return said
}

// describe names the element as outlines do, and what tells it apart from others of that name.
func (l Locator) describe() string {
	said := l.Role + " " + Quote(cmp.Or(l.Label, l.Identifier))
	switch {
	case l.Label != "" && l.Matches.RoleLabel > 1 && l.Matches.Identifier == 1:
		said += " with identifier " + Quote(l.Identifier)
	case l.Within != "":
		said += " within " + Quote(l.Within)
	case l.Index != nil:
		said += fmt.Sprintf(" (%d of %d)", *l.Index+1, l.Matches.Whole)
	}
	return said
}
