package ui

import "strings"

// Condition is a state of an element or of the screen that a caller can wait for.
type Condition string

// The conditions: quern's seven, and four more: gone (no match is in sight), text (anywhere on the screen), focused, settled.
const (
	Exists        Condition = "exists"
	NotExists     Condition = "not_exists"
	IsVisible     Condition = "visible"
	IsEnabled     Condition = "enabled"
	IsDisabled    Condition = "disabled"
	ValueEquals   Condition = "value_equals"
	ValueContains Condition = "value_contains"
	IsGone        Condition = "gone"
	HasFocus      Condition = "focused"
	HasText       Condition = "text"
	IsSettled     Condition = "settled"
)

// conditions holds the test of each condition; n is nil when no element fits.
var conditions = map[Condition]func(n *Node, value string) bool{
	Exists:        func(n *Node, _ string) bool { return n != nil },
	NotExists:     func(n *Node, _ string) bool { return n == nil },
	IsVisible:     func(n *Node, _ string) bool { return n != nil && n.Visible() },
	IsEnabled:     func(n *Node, _ string) bool { return n != nil && !n.Disabled },
	IsDisabled:    func(n *Node, _ string) bool { return n != nil && n.Disabled },
	ValueEquals:   valueEquals,
	ValueContains: func(n *Node, value string) bool { return n != nil && strings.Contains(n.Value, value) },
	IsGone:        func(n *Node, _ string) bool { return n == nil || !n.Visible() },
	HasFocus:      func(n *Node, _ string) bool { return n != nil && n.Focused },
	HasText:       func(n *Node, value string) bool { return n != nil && n.Visible() && n.contains(value) },
}

// valueEquals treats a field without text as empty, also when it shows its placeholder as its value.
func valueEquals(n *Node, value string) bool {
	return n != nil && (n.Value == value || value == "" && n.TakesText() && n.Typed() == "")
}

// Holds reports whether the condition holds for the elements a query fits. An unknown condition is the caller's
// mistake, and never holds.
func (s *Screen) Holds(c Condition, q Query, value string) (bool, *Node) {
	var first *Node
	if c == IsSettled {
		return s.Settled, nil
	}
	holds, known := conditions[c]
	if !known {
		return false, nil
	}
	if c == IsGone {
		return s.gone(q)
	}
	for _, n := range s.Match(q) {
		if first == nil {
			first = n
		}
		if holds(n, value) {
			return true, n
		}
	}
	if c == HasText {
		first = nil // no match, so no element to name
	}
	return first == nil && holds(nil, value), first
}

// gone holds when no element that fits is in sight.
func (s *Screen) gone(q Query) (bool, *Node) {
	for _, n := range s.Match(q) {
		if n.Visible() {
			return false, n
		}
	}
	return true, nil
}

// HoldsOn reports whether a condition holds for one element; nil stands for a missing element.
func HoldsOn(c Condition, n *Node, value string) bool {
	holds, known := conditions[c]
	return known && holds(n, value)
}

// Inside names the containers around an element, the outermost first: containers with a name or with a meaningful type.
func (n *Node) Inside() []string {
	var path []string
	for p := n.parent; p != nil; p = p.parent {
		switch k := kinds[p.Type]; {
		case p.Made || p.Type == "Application" || p.Type == "Window":
		case p.Name() != "":
			path = append([]string{p.Name()}, path...)
		case k.frame || k.clips:
			path = append([]string{p.Type}, path...)
		}
	}
	return path
}
