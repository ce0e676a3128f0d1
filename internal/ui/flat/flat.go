// Package flat renders elements in quern's format. Of lists the elements of a screen as a Tree, and State describes the first element that
// fits a query. Field names and texts are quern's and must not change.
package flat

import "ios-agent/internal/ui"

// Element is an element in quern's format. With hierarchy it also names its parent and holds its children.
type Element struct {
	Type             string   `json:"type"`
	Label            string   `json:"label"`
	Identifier       *string  `json:"identifier"`
	Value            *string  `json:"value"`
	Frame            *Frame   `json:"frame"`
	Enabled          bool     `json:"enabled"`
	Role             string   `json:"role"`
	RoleDescription  string   `json:"role_description"`
	Help             *string  `json:"help"`
	CustomActions    []string `json:"custom_actions"`
	MatchCount       int      `json:"match_count,omitempty"` // when more than one element fits
	ParentIdentifier *string  `json:"parent_identifier,omitempty"`
	ParentLabel      *string  `json:"parent_label,omitempty"`
	Children         []any    `json:"children,omitempty"` // Elements; a schema without references cannot say so
}

// Frame is a frame in quern's format.
type Frame struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Tree is quern's get_ui_tree. Count is the number of elements at all depths.
type Tree struct {
	Elements []Element `json:"elements"`
	Count    int       `json:"element_count"`
	UDID     string    `json:"udid"`
}

// Of lists the elements, or with childrenOf the elements below that identifier, or below that label if no element has the identifier. For
// an unknown element the list is empty.
func Of(s *ui.Screen, childrenOf string, hierarchy bool) Tree {
	tops := []*ui.Node{}
	switch {
	case childrenOf != "":
		for _, parent := range outermost(s.Named(childrenOf)) {
			tops = append(tops, parent.Children...)
		}
	case s.Root != nil && s.Root.Made:
		tops = s.Root.Children
	case s.Root != nil:
		tops = []*ui.Node{s.Root}
	}
	out := Tree{Elements: []Element{}}
	for _, top := range tops {
		if hierarchy {
			out.Elements = append(out.Elements, nested(top))
		}
		top.Walk(func(n *ui.Node) bool {
			out.Count++
			if !hierarchy {
				out.Elements = append(out.Elements, ElementOf(n))
			}
			return true
		})
	}
	return out
}

// outermost drops the nodes that lie in another node of the list, because that node's descendants include theirs.
func outermost(nodes []*ui.Node) []*ui.Node {
	var out []*ui.Node
	for _, n := range nodes {
		if len(out) == 0 || !n.Within(out[len(out)-1]) {
			out = append(out, n)
		}
	}
	return out
}

// ElementOf is an element in quern's format.
func ElementOf(n *ui.Node) Element {
	e := Element{
		Type: n.Type, Label: n.Label, Identifier: optional(n.Identifier), Value: optional(n.Value), Enabled: !n.Disabled,
		Role: extra(n, "role", "AX"+n.Type), RoleDescription: extra(n, "role_description", n.Role()),
		Help: optional(extra(n, "help", "")), CustomActions: append([]string{}, n.Actions...),
	}
	if !n.Unplaced {
		e.Frame = &Frame{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H}
	}
	return e
}

func nested(n *ui.Node) Element {
	e := ElementOf(n)
	if p := n.Parent(); p != nil && !p.Made {
		e.ParentIdentifier, e.ParentLabel = optional(p.Identifier), optional(p.Label)
	}
	for _, c := range n.Children {
		e.Children = append(e.Children, nested(c))
	}
	return e
}

// extra is the source's value for a key, or the usual one.
func extra(n *ui.Node, key, usual string) string {
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

// State is quern's get_element_state: the first element that fits a query, with the number of all matches; nil without a match.
func State(s *ui.Screen, q ui.Query) *Element {
	found := s.Match(q)
	if len(found) == 0 {
		return nil
	}
	e := ElementOf(found[0])
	if len(found) > 1 {
		e.MatchCount = len(found)
	}
	return &e
}
