package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/fault/nearest"
)

// Query says which element is meant. All that is given must hold.
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
	Within     string // a ref, identifier or label of what the element must lie in
}

// Naming is the query for a ref, or else for an identifier or label; empty for an empty name.
func Naming(name string) Query {
	if refPattern.MatchString(name) || name != "" && name[0] == '@' && givenPattern.MatchString(name) {
		return Query{Ref: name} // without the @, an identifier may look like a name that a device gives
	}
	return Query{Name: name}
}

// Empty reports whether the query says nothing.
func (q Query) Empty() bool { return q == Query{} }

// String spells the query for a message.
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

// Find resolves a query to exactly one element, or says why it cannot.
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
		return nil, &NotFoundError{Message: fmt.Sprintf("%d elements fit, so there is no %s", len(found), q),
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

// on replaces the query's name by what it is on this screen: an identifier if any element has it, else a label.
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

// container is the element a query's Within means; nil when it has none.
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

// Named are the elements of this identifier; if there are none anywhere on the screen, those of this label, case
// ignored.
func (s *Screen) Named(name string) []*Node {
	if found := s.find(func(n *Node) bool { return n.Identifier == name }); len(found) > 0 {
		return found
	}
	return s.find(func(n *Node) bool { return means(name, n.Label) })
}

// Match are all elements a query without ref fits, in document order.
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

// preferActionable drops the texts in a matching control, which are one thing with it to a person, and an app called like a control.
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

// nowhere reports whether the element is in no window's picture at all, as a tool bar that is switched off. A row without a place is
// one that is scrolled out: it may be meant.
func (n *Node) nowhere() bool {
	return n.Hidden && n.Unplaced && n.Role() != "listitem" && n.Role() != "row" && n.Role() != "cell"
}

func (r *Refs) notFound(q Query, device string, s *Screen) error {
	no := &NotFoundError{Message: fmt.Sprintf("no element on screen %s has %s", Quote(s.Title()), q),
		Hint: s.instead(q), Candidates: r.Candidates(device, s, s.rank(nil))}
	if s.Truncated > 0 {
		no.Message += fmt.Sprintf("; %d elements were too deep or too many to be read", s.Truncated)
		no.Hint = cmp.Or(no.Hint, "read deeper: `ios-agent snapshot --max-depth 200`, then act on a ref of it")
	}
	return no
}

// instead is what to try when nothing fits a query: names like the one that was given, or a tab bar that hides its tabs.
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
		return fmt.Sprintf("%s tells of no tabs, though there may be some: look at a `screenshot`, and tap one by its point (y=%g)",
			bar.Describe(), bar.Frame.Centre().Y)
	}
	return ""
}

// collapsedTabs is a tab bar that accessibility shows as one element without content; nil when there is none. Some systems
// make a group of it, which keeps the name.
func (s *Screen) collapsedTabs() *Node {
	for _, n := range s.nodes {
		if len(n.Children) == 0 && n.Visible() && (n.Type == "TabBar" || n.Type == "Group" && n.Label == "Tab Bar") {
			return n
		}
	}
	return nil
}
