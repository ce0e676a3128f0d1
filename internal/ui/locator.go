package ui

import (
	"cmp"
	"fmt"
	"slices"
)

// Locator identifies an element for a reader without a ref: another session, a file, a person. A ref ends with its session; a locator is
// looked up again on each screen. Matches says how unique it was on the screen where it was created. It never contains a value, and texts
// that an outline would cut are cut or left out. All its fields must hold, as in a Query, whose inputs accept it unchanged.
type Locator struct {
	Identifier string  `json:"identifier,omitempty"`
	Role       string  `json:"role,omitempty"`
	Label      string  `json:"label,omitempty"`
	Within     string  `json:"within,omitempty"` // identifier or label of an element around it, where only that makes it unique
	Index      *int    `json:"index,omitempty"`  // position among several, from 0, if no field makes it unique
	Matches    Matches `json:"matches"`
}

// Matches counts the elements of a screen that the parts of a locator fit.
type Matches struct {
	Identifier int `json:"by_identifier,omitempty"` // elements of its identifier
	RoleLabel  int `json:"by_role_label"`           // elements of its role and label
	Whole      int `json:"whole"`                   // elements that fit all fields except the index
}

// Unique reports whether the locator fitted exactly one element on the screen where it was created.
func (l Locator) Unique() bool { return l.Matches.Whole == 1 }

// mostAround is the maximum number of named containers that Locate tries in order to make a locator unique.
const mostAround = 8

// Locate describes an element of the screen with every field a locator has, plus a named container or an index if those fields fit several
// elements.
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

// Smallest leaves out the fields that the locator does not need: a unique identifier needs no other field, nor does a unique role and
// label.
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

// findableFirst puts the elements that Find counts before elements that only a ref can name: keys, and parts of a control that fits too.
func findableFirst(nodes []*Node) []*Node {
	first := preferActionable(slices.DeleteFunc(slices.Clone(nodes), (*Node).underKeyboard))
	listed := map[*Node]bool{}
	for _, n := range first {
		listed[n] = true
	}
	return append(first, slices.DeleteFunc(nodes, func(n *Node) bool { return listed[n] })...)
}

// around names the nearest container of n that holds no other of the nodes and has a unique name; empty if none exists.
func (s *Screen) around(n *Node, nodes []*Node) string {
	tried := 0
	for p := n.parent; p != nil && tried < mostAround; p = p.parent {
		name := cmp.Or(uncut(p.Identifier), p.openLabel())
		if name == "" {
			continue
		}
		tried++
		if slices.ContainsFunc(nodes, func(o *Node) bool { return o != n && o != p && o.Within(p) }) {
			return "" // every container around p holds both
		}
		if named := s.Named(name); len(named) == 1 && named[0] == p {
			return name
		}
	}
	return ""
}

// openLabel is the label without secrets. Some sources report the text typed into a secure field as its label, or as text inside it.
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

// uncut is a text for an exact match, so a cut text is useless; empty when it is too long.
func uncut(text string) string {
	if Cut(text) {
		return ""
	}
	return text
}

// String writes the locator in the form of the inputs that take it.
func (l Locator) String() string {
	said := Query{Identifier: l.Identifier, Role: l.Role, Label: l.Label, Within: l.Within, Index: l.Index}.String()
	if l.Index != nil {
		said += fmt.Sprintf(" of %d", l.Matches.Whole)
	}
	return said
}

// describe names the element as outlines do, with the fields that tell it apart from others of that name.
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
