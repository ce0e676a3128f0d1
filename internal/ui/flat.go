package ui

import "strings"

// FlatElement is an element in quern's words. With hierarchy it also names its parent and holds its children.
type FlatElement struct {
	Type             string     `json:"type"`
	Label            string     `json:"label"`
	Identifier       *string    `json:"identifier"`
	Value            *string    `json:"value"`
	Frame            *FlatFrame `json:"frame"`
	Enabled          bool       `json:"enabled"`
	Role             string     `json:"role"`
	RoleDescription  string     `json:"role_description"`
	Help             *string    `json:"help"`
	CustomActions    []string   `json:"custom_actions"`
	MatchCount       int        `json:"match_count,omitempty"` // when more than one element fits
	ParentIdentifier *string    `json:"parent_identifier,omitempty"`
	ParentLabel      *string    `json:"parent_label,omitempty"`
	Children         []any      `json:"children,omitempty"` // FlatElements; a schema without references cannot say so
}

// FlatFrame is a frame in quern's words.
type FlatFrame struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// FlatTree is quern's get_ui_tree. Count is the number of elements at all depths.
type FlatTree struct {
	Elements []FlatElement `json:"elements"`
	Count    int           `json:"element_count"`
	UDID     string        `json:"udid"`
}

// Flat lists the elements, or with childrenOf those below the element of that identifier, or label if nothing has the
// identifier. An element that is not there has no children: the list is empty.
func (s *Screen) Flat(childrenOf string, hierarchy bool) FlatTree {
	tops := []*Node{}
	switch {
	case childrenOf != "":
		for _, parent := range outermost(s.Named(childrenOf)) {
			tops = append(tops, parent.Children...)
		}
	case s.Root != nil && s.Root.Made:
		tops = s.Root.Children
	case s.Root != nil:
		tops = []*Node{s.Root}
	}
	out := FlatTree{Elements: []FlatElement{}}
	for _, top := range tops {
		if hierarchy {
			out.Elements = append(out.Elements, top.nested())
		}
		top.Walk(func(n *Node) bool {
			out.Count++
			if !hierarchy {
				out.Elements = append(out.Elements, n.Flat())
			}
			return true
		})
	}
	return out
}

// outermost drops the nodes that lie in another of the list: what is below them is below that one too.
func outermost(nodes []*Node) []*Node {
	var out []*Node
	for _, n := range nodes {
		if len(out) == 0 || !n.Within(out[len(out)-1]) {
			out = append(out, n)
		}
	}
	return out
}

// Flat is the element in quern's words.
func (n *Node) Flat() FlatElement {
	e := FlatElement{
		Type: n.Type, Label: n.Label, Identifier: optional(n.Identifier), Value: optional(n.Value), Enabled: !n.Disabled,
		Role: n.extra("role", "AX"+n.Type), RoleDescription: n.extra("role_description", n.Role()),
		Help: optional(n.extra("help", "")), CustomActions: append([]string{}, n.Actions...),
	}
	if !n.Unplaced {
		e.Frame = &FlatFrame{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H}
	}
	return e
}

func (n *Node) nested() FlatElement {
	e := n.Flat()
	if n.parent != nil && !n.parent.Made {
		e.ParentIdentifier, e.ParentLabel = optional(n.parent.Identifier), optional(n.parent.Label)
	}
	for _, c := range n.Children {
		e.Children = append(e.Children, c.nested())
	}
	return e
}

// extra is what the source said under a key, or what is usual.
func (n *Node) extra(key, usual string) string {
	if said, ok := n.Extra[key].(string); ok {
		return said
	}
	return usual
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ElementState is quern's get_element_state: the first element a query fits, with the number of all; nil when there is none.
func (s *Screen) ElementState(q Query) *FlatElement {
	found := s.Match(q)
	if len(found) == 0 {
		return nil
	}
	e := found[0].Flat()
	if len(found) > 1 {
		e.MatchCount = len(found)
	}
	return &e
}

// Condition is what one can wait for.
type Condition string

// The conditions: quern's seven, and ours: gone (there, but no longer in sight, counts), text (anywhere on the screen), settled.
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

// conditions say when each holds; n is nil when no element fits.
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

// valueEquals takes a field that holds no text for empty, also when it shows its placeholder as its value.
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
		first = nil // the text is nowhere: there is no element to name
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

// HoldsOn reports whether a condition holds for one element; nil is none.
func HoldsOn(c Condition, n *Node, value string) bool {
	holds, known := conditions[c]
	return known && holds(n, value)
}

// Inside names what an element lies in, the outermost first: containers with a name, or of a type that says something.
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
