package desktop

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/ui"
)

// Pick says what of a tree is shown.
type Pick struct {
	Role    string // only elements of this role, with or without AX, in any case
	Text    string // only those whose title, value or developer's name has it, in any case
	Depth   int    // windows are 1; 0 is all
	Hidden  bool   // also hidden elements
	Verbose bool   // as JSON
	Bytes   int    // about how long the text may be; 0 is any length
}

// Shown is what a reader gets of a tree.
type Shown struct {
	Text  string
	Nodes int      // how many it has
	IDs   []string // of those
	Left  []string // what is left out, and why
}

// Show writes a tree: a line for each element, indented by two spaces a level, or JSON. Elements whose parents are hidden move up to the
// next shown ancestor. Texts of the app are quoted: they are data.
func (t *Tree) Show(p Pick) Shown {
	s := shower{Pick: p, role: bareRole(p.Role), text: strings.ToLower(p.Text)}
	for _, w := range t.Windows {
		s.visit(w, nil, 1, 0)
	}
	out := Shown{Nodes: len(s.ids), IDs: s.ids}
	if p.Verbose {
		if s.roots == nil {
			s.roots = []*Node{}
		}
		raw, _ := json.MarshalIndent(struct { // of strings, numbers and booleans: it cannot fail
			Nodes []*Node `json:"nodes"`
		}{s.roots}, "", "  ")
		out.Text = string(raw)
	} else {
		out.Text = strings.Join(s.lines, "\n")
	}
	tell := func(n int, why string) {
		if n > 0 {
			out.Left = append(out.Left, fmt.Sprintf("%s: %d", why, n))
		}
	}
	tell(s.hidden, "left out because they do not show")
	tell(s.deep, fmt.Sprintf("left out below level %d", p.Depth))
	tell(s.over, "left out because of the budget")
	tell(t.Left, "not read ("+t.LeftWhy+"), at least")
	return out
}

// shower is one writing down.
type shower struct {
	Pick
	role, text string

	roots              []*Node
	lines              []string
	ids                []string
	used               int
	full               bool
	hidden, deep, over int
}

// visit shows a node, below a copy of the one above it, and all below it.
func (s *shower) visit(n, above *Node, level, indent int) {
	if s.Depth > 0 && level > s.Depth {
		n.Walk(func(*Node) bool { s.deep++; return true })
		return
	}
	switch {
	case !s.fits(n):
	case n.Hidden && !s.Hidden && !s.Verbose:
		s.hidden++
	default:
		if shown := n.Alone(); s.add(shown, above, indent) {
			above, indent = shown, indent+1
		}
	}
	for _, c := range n.Children {
		s.visit(c, above, level+1, indent)
	}
}

func (s *shower) fits(n *Node) bool {
	if s.role != "" && bareRole(n.Role) != s.role && bareRole(n.Subrole) != s.role {
		return false
	}
	if s.text == "" {
		return true
	}
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), s.text) }
	return has(n.Title) || has(n.Identifier) || has(n.Placeholder) || n.Value != nil && !n.secret() && has(*n.Value)
}

// add takes a node in, if there is room for it.
func (s *shower) add(n, above *Node, indent int) bool {
	line := strings.Repeat("  ", indent) + n.Line()
	cost := len(line) + 1
	if s.Verbose {
		raw, _ := json.MarshalIndent(n, strings.Repeat("  ", 2+2*indent), "  ")
		cost = len(raw) + 2
	}
	if s.full = s.full || s.Bytes > 0 && s.used+cost > s.Bytes; s.full {
		s.over++
		return false
	}
	s.used += cost
	s.ids = append(s.ids, n.ID)
	if s.Verbose && above != nil {
		above.Children = append(above.Children, n)
	} else if s.Verbose {
		s.roots = append(s.roots, n)
	} else {
		s.lines = append(s.lines, line)
	}
	return true
}

func bareRole(role string) string { return strings.ToLower(strings.TrimPrefix(role, "AX")) }

// secureRole is the subrole of fields whose text must stay secret.
const secureRole = "AXSecureTextField"

func (n *Node) secret() bool { return n.Subrole == secureRole || n.Role == secureRole }

// Alone is a copy without what is below it. Of a secret text it only has how long it is.
func (n *Node) Alone() *Node {
	alone := *n
	alone.Children = nil
	if n.secret() && n.Value != nil {
		dots := strings.Repeat("•", len([]rune(*n.Value)))
		alone.Value = &dots
	}
	return &alone
}

// Whole is a copy with all that is below it, as Alone shows it.
func (n *Node) Whole() *Node {
	whole := n.Alone()
	for _, c := range n.Children {
		whole.Children = append(whole.Children, c.Whole())
	}
	return whole
}

// Below counts the elements below it.
func (n *Node) Below() int {
	all := -1 // itself
	n.Walk(func(*Node) bool { all++; return true })
	return all
}

// Line is a node in strobe's short form.
func (n *Node) Line() string {
	parts := []string{ui.Inline(n.Role)}
	if n.Title != "" {
		parts = append(parts, ui.Quote(n.Title))
	}
	parts = append(parts, "id="+n.ID)
	if b := n.Bounds; b != nil {
		parts = append(parts, fmt.Sprintf("bounds=%d,%d,%d,%d", int(b.X), int(b.Y), int(b.W), int(b.H)))
	}
	if n.Value != nil && *n.Value != "" {
		parts = append(parts, "value="+plain(*n.Value))
	}
	if n.Enabled {
		parts = append(parts, "enabled")
	}
	if n.Focused {
		parts = append(parts, "focused")
	}
	if n.Selected {
		parts = append(parts, "selected")
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// plain is a number as it is, and any other text in quotes: it may look like more of the line.
func plain(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil && len(value) < 40 {
		return value
	}
	return ui.Quote(value)
}
