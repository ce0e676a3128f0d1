package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Query describes an element. All given fields must hold.
type Query struct {
	Ref        string
	Identifier string // exactly
	Label      string // case ignored
	Name       string // an identifier, or else a label
	Contains   string // in the label, value, placeholder or identifier, case ignored
	Type       string // short or long name
	Role       string // as in the outline
	Value      string // exactly
	Index      *int   // which of several, from 0 in document order
	Within     string // ref, identifier or label of an element around it
}

// Naming is the query for a ref, or else for an identifier or label; empty for an empty name.
func Naming(name string) Query {
	if refPattern.MatchString(name) || name != "" && name[0] == '@' && givenPattern.MatchString(name) {
		return Query{Ref: name} // without the @, the name may be an identifier
	}
	return Query{Name: name}
}

// Empty reports whether the query has no fields.
func (q Query) Empty() bool { return q == Query{} }

// String formats the query for a message.
func (q Query) String() string {
	var parts []string
	for _, p := range [][2]string{
		{"ref", q.Ref}, {"identifier", q.Identifier}, {"label", q.Label}, {"name", q.Name}, {"the text", q.Contains}, {"type", q.Type},
		{"role", q.Role}, {"value", q.Value},
	} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+Quote(p[1]))
		}
	}
	if q.Index != nil {
		parts = append(parts, "index "+strconv.Itoa(*q.Index))
	}
	said := strings.Join(parts, ", ")
	if q.Within != "" {
		said += " within " + Quote(q.Within)
	}
	return strings.TrimSpace(said)
}

// Find resolves a query to exactly one element, or returns the reason as an error.
func (r *Refs) Find(q Query, device string, s *Screen) (*Node, error) {
	within, err := r.container(q, device, s)
	if err != nil {
		return nil, err
	}
	if s.Called(q.Name) != nil {
		q.Ref, q.Name = q.Name, ""
	}
	if q.Ref != "" {
		n, err := r.Resolve(q.Ref, device, s)
		if err == nil && !q.matches(n, within) {
			rest := q
			rest.Ref = ""
			return nil, &NotFoundError{Message: fmt.Sprintf("the element of ref %s does not also have %s", q.Ref, rest)}
		}
		return n, err
	}
	q = q.on(s)
	found := preferActionable(s.find(func(n *Node) bool { return q.matches(n, within) && !n.Made && !n.underKeyboard() }))
	if q.Index != nil && len(found) > 0 {
		if i := *q.Index; i >= 0 && i < len(found) {
			return found[i], nil
		}
		candidates := r.Candidates(device, s, found)
		return nil, &NotFoundError{Message: fmt.Sprintf("%d elements fit; none has %s", len(found), q),
			Hint: "count from 0; or pass one of: " + Offer(candidates), Candidates: candidates}
	}
	if shown := slices.DeleteFunc(slices.Clone(found), (*Node).nowhere); len(shown) > 0 {
		found = shown
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, r.notFound(q, device, s)
	}
	return nil, &AmbiguousError{fmt.Sprintf("%d elements have %s", len(found), q), r.Candidates(device, s, found), found}
}

// on resolves the query's name for this screen: an identifier if any element has it, else a label.
func (q Query) on(s *Screen) Query {
	if q.Name == "" {
		return q
	}
	if len(s.find(func(n *Node) bool { return n.Identifier == q.Name })) > 0 {
		q.Identifier = q.Name
	} else {
		q.Label = q.Name
	}
	q.Name = ""
	return q
}

// container is the element that a query's Within names; nil without Within.
func (r *Refs) container(q Query, device string, s *Screen) (*Node, error) {
	if q.Within == "" {
		return nil, nil
	}
	if Naming(q.Within).Ref != "" || s.Called(q.Within) != nil {
		return r.Resolve(q.Within, device, s)
	}
	switch found := s.Named(q.Within); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, r.notFound(Query{Label: q.Within}, device, s)
	default:
		return nil, &AmbiguousError{fmt.Sprintf("%d elements are called %s", len(found), Quote(q.Within)), r.Candidates(device, s, found), found}
	}
}

// Named are the elements with this identifier; if the screen has none, the elements with this label, case ignored.
func (s *Screen) Named(name string) []*Node {
	if found := s.find(func(n *Node) bool { return n.Identifier == name }); len(found) > 0 {
		return found
	}
	return s.find(func(n *Node) bool { return means(name, n.Label) })
}

// Match are all elements that fit a query without a ref, in document order.
func (s *Screen) Match(q Query) []*Node {
	q = q.on(s)
	return s.find(func(n *Node) bool { return !n.Made && q.matches(n, nil) })
}

func (q Query) matches(n, within *Node) bool {
	return (q.Identifier == "" || n.Identifier == q.Identifier) &&
		(q.Value == "" || n.Value == q.Value) &&
		(q.Type == "" || strings.EqualFold(n.Type, TypeOf(q.Type)) || strings.EqualFold(n.RawType, q.Type)) &&
		(q.Role == "" || strings.EqualFold(n.Role(), q.Role)) &&
		(q.Label == "" || means(q.Label, n.Label)) &&
		(q.Contains == "" || n.contains(q.Contains)) &&
		(within == nil || n != within && n.Within(within))
}

func (n *Node) contains(text string) bool {
	text = strings.ToLower(plain(text))
	for _, s := range [...]string{n.Label, n.Value, n.Placeholder, n.Identifier} {
		if strings.Contains(strings.ToLower(plain(s)), text) {
			return true
		}
	}
	return false
}

// preferActionable drops texts inside a matching control, which a person sees as one thing, and an app named like a control.
func preferActionable(nodes []*Node) []*Node {
	actionable := map[*Node]bool{}
	for _, n := range nodes {
		actionable[n] = n.Interactive()
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool {
		inside := false
		for p := n.parent; p != nil && !inside; p = p.parent {
			inside = actionable[p]
		}
		return inside || n.parent == nil && len(nodes) > 1
	})
}

// nowhere reports whether the element is hidden and has no place, such as a tool bar that is switched off. A row without a place may only
// be scrolled away, so it does not count.
func (n *Node) nowhere() bool {
	return n.Hidden && n.Unplaced && n.Role() != "listitem" && n.Role() != "row" && n.Role() != "cell"
}

func (r *Refs) notFound(q Query, device string, s *Screen) error {
	no := &NotFoundError{Message: fmt.Sprintf("no element on screen %s has %s", Quote(s.Title()), q),
		Hint: s.instead(q), Candidates: r.Candidates(device, s, s.rank(nil))}
	if s.Truncated > 0 {
		no.Message += fmt.Sprintf("; %d elements were too deep or too many to be read", s.Truncated)
		no.Hint = cmp.Or(no.Hint, "read deeper: "+hint.Do("snapshot", "max_depth", 200)+", then act on a ref from it")
	}
	return no
}

// instead is a hint for a query without a match: near names on the screen, or a tab bar that hides its tabs.
func (s *Screen) instead(q Query) string {
	var names []string
	for _, n := range s.nodes {
		if s.worthShowing(n) {
			names = append(names, n.Label, n.Identifier)
		}
	}
	for _, wanted := range []string{q.Identifier, q.Label, q.Contains, q.Value} {
		if near := nearest.To(wanted, names, 3); wanted != "" && len(near) > 0 {
			for i := range near {
				near[i] = Quote(near[i])
			}
			return "near names on the screen: " + strings.Join(near, ", ")
		}
	}
	if bar := s.collapsedTabs(); bar != nil {
		return fmt.Sprintf("%s may have tabs that accessibility does not list: find one with %s and tap its point (y=%g)",
			bar.Describe(), hint.Do("take_screenshot"), bar.Frame.Centre().Y)
	}
	return ""
}

// collapsedTabs is a tab bar that accessibility shows as one element without content, or nil. Some systems report a group with the tab
// bar's name.
func (s *Screen) collapsedTabs() *Node {
	for _, n := range s.nodes {
		if len(n.Children) == 0 && n.Visible() && (n.Type == "TabBar" || n.Type == "Group" && n.Label == "Tab Bar") {
			return n
		}
	}
	return nil
}
