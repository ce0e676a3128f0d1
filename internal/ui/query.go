package ui

import (
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/nearest"
)

// Query says which element is meant. All that is given must hold.
type Query struct {
	Ref        string
	Identifier string
	Label      string
	Type       string // short or long name; narrows, does not find by itself
}

// Empty reports whether the query says nothing.
func (q Query) Empty() bool { return q == Query{} }

// String spells the query for a message.
func (q Query) String() string {
	var parts []string
	for _, p := range [][2]string{{"ref", q.Ref}, {"identifier", q.Identifier}, {"label", q.Label}, {"type", q.Type}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+Quote(p[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// Find resolves a query to exactly one element, or says why it cannot.
func (r *Refs) Find(q Query, device string, s *Screen) (*Node, error) {
	if q.Ref != "" {
		n, err := r.Resolve(q.Ref, device, s)
		if err == nil && !q.matches(n) {
			return nil, fault.New(fault.ElementNotFound, "the element of ref %s does not also have %s", q.Ref, Query{Identifier: q.Identifier, Label: q.Label, Type: q.Type}).WithDispatch(fault.NotDispatched)
		}
		return n, err
	}
	found := s.find(func(n *Node) bool { return q.matches(n) && !n.underKeyboard() })
	switch found = preferActionable(found); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, r.notFound(q, device, s)
	}
	candidates := r.Candidates(device, s, found)
	return nil, fault.New(fault.ElementAmbiguous, "%d elements have %s", len(found), q).
		With("candidates", candidates).WithDispatch(fault.NotDispatched).
		WithHint("nothing was sent; pass one of: %s", Offer(candidates))
}

func (q Query) matches(n *Node) bool {
	return (q.Identifier == "" || n.Identifier == q.Identifier) &&
		(q.Label == "" || strings.EqualFold(n.Label, q.Label)) &&
		(q.Type == "" || strings.EqualFold(n.Type, strings.TrimPrefix(q.Type, typePrefix)))
}

// preferActionable drops the texts inside a matching control: a button and its own caption are one thing to a person.
func preferActionable(nodes []*Node) []*Node {
	var out []*Node
	for _, n := range nodes {
		inside := false
		for _, o := range nodes {
			inside = inside || o != n && n.within(o) && kinds[o.Type].interactive
		}
		if !inside {
			out = append(out, n)
		}
	}
	return out
}

func (r *Refs) notFound(q Query, device string, s *Screen) error {
	var names []string
	for _, n := range s.nodes {
		if s.worthShowing(n) {
			names = append(names, n.Label, n.Identifier)
		}
	}
	f := fault.New(fault.ElementNotFound, "no element on screen %s has %s", Quote(s.Title()), q).WithDispatch(fault.NotDispatched).
		With("candidates", r.Candidates(device, s, s.rank(nil)))
	if near := nearest.To(q.Identifier+q.Label, names, 3); len(near) > 0 {
		for i := range near {
			near[i] = Quote(near[i])
		}
		return f.WithHint("near names on the screen: %s", strings.Join(near, ", "))
	}
	return f
}
