// Package outline writes screens down for models: a screen as lines that can be acted on, and two looks as what came, went and changed. Of
// gives the outline of a screen, Changes the lines of a diff. Every element that a line offers to act on has its ref there. The package
// decides how a screen is told, in which order and how much of it; what is on the screen, and which elements tell something, is up to ui.
package outline

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// Choice chooses what an outline shows. The zero value shows everything on the screen that tells an agent something.
type Choice struct {
	All    bool     // every element, also those that only hold others and those out of sight
	Depth  int      // how deep to nest; 0 is all the way
	Within *ui.Node // only what lies in this element; nil is the screen
	Budget int      // about how many tokens it may cost; 0 is no limit
	Lines  int      // how many lines it may have; 0 is no limit; not with a budget
	Full   bool     // texts of any length
}

// Of is what models read: a header, then one line an element that matters, nested as on the screen, in the grammar of Playwright's aria
// snapshots, which models have seen often. Whatever is left out for lack of room is counted, with a way to get it.
func Of(s *ui.Screen, how Choice, device string, refs *ui.Refs) string {
	header := Header(s)
	if s.Root == nil {
		return header
	}
	root := s.Root
	if how.Within != nil {
		root = how.Within
	}
	rows := mergeHints(rowsOf(how, root, nil, 0))
	left := ""
	news := func() fresh { return fresh{refs.News(device, s), refs.Lively(device, s)} }
	switch {
	case how.Budget > 0:
		rows, left = afford(s, rows, how.Budget-tokens(header), news)
	case how.Lines > 0 && len(rows)+1 > how.Lines:
		rows, left = within(s, rows, how.Lines-2, news) // the header and what is left out have a line too
	}
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rows {
		b.WriteString("\n" + strings.Repeat("  ", r.depth()))
		if r.hint != "" {
			b.WriteString("… " + r.hint)
			continue
		}
		b.WriteString("- " + line(s, r.node, device, refs, how.Full))
	}
	if left != "" {
		b.WriteString("\n… " + left)
	}
	if how.Within != nil && len(rows) == 0 {
		b.WriteString("\n… " + noneWithin(how.Within))
	}
	long := slices.IndexFunc(rows, func(r *row) bool { return r.node != nil && (ui.Cut(r.node.Name()) || ui.Cut(value(r.node))) })
	if !how.Full && long >= 0 {
		fmt.Fprintf(&b, "\n… long texts are cut: `ios-agent get @%s` has the first whole, `--full` all",
			refs.Name(device, s, rows[long].node))
	}
	return b.String()
}

// noneWithin says why an element has nothing that an outline shows.
func noneWithin(n *ui.Node) string {
	below := 0
	n.Walk(func(d *ui.Node) bool {
		if d != n && d.Tells() {
			below++
		}
		return true
	})
	what := n.Describe() + " and what it holds"
	if below == 0 {
		what = n.Describe() + ", which holds nothing else,"
	}
	switch {
	case !n.Visible() && n.Seen().Empty():
		return what + " cannot be seen: off the screen or hidden; `--all` shows them"
	case !n.Visible():
		return what + " cannot be seen: something covers it; `--all` shows them"
	}
	return what + " tells nothing by itself; `--all` shows what it is made of"
}

// Blank reports whether an outline of the screen would be empty.
func Blank(s *ui.Screen) bool { return s.Root == nil || len(rowsOf(Choice{}, s.Root, nil, 0)) == 0 }

// shown reports whether an outline has a line about the element.
func shown(n *ui.Node) bool { return n.Tells() && n.Visible() }

// Scope are the nodes that an outline of this choice is about, shown or not.
func Scope(s *ui.Screen, how Choice) (nodes []*ui.Node) {
	root := s.Root
	if how.Within != nil {
		root = how.Within
	}
	depths := map[*ui.Node]int{} // how many shown ones each lies in
	root.Walk(func(n *ui.Node) bool {
		depth := 0
		if n != root {
			depth = depths[n.Parent()]
		}
		if how.All && !n.Made || shown(n) {
			depth++
		}
		depths[n] = depth
		if how.Depth > 0 && depth > how.Depth {
			return false
		}
		if !n.Made {
			nodes = append(nodes, n)
		}
		return true
	})
	return nodes
}

// row is one line to be: an element, or a hint about some that have none.
type row struct {
	node   *ui.Node
	hint   string
	parent *row
	cut    bool
}

// depth counts the lines this one is nested in.
func (r *row) depth() int {
	depth := 0
	for p := r.parent; p != nil; p = p.parent {
		if !p.cut {
			depth++
		}
	}
	return depth
}

// rowsOf are the lines about n and all below it.
func rowsOf(how Choice, n *ui.Node, parent *row, depth int) []*row {
	var rows []*row
	if how.All && !n.Made || shown(n) {
		if how.Depth > 0 && depth >= how.Depth {
			return tooDeep(n, parent)
		}
		parent = &row{node: n, parent: parent}
		rows = append(rows, parent)
		depth++
	}
	var before, after []string
	switch {
	case how.All:
		after = goesOn(n)
	case n.Scrolls() || n.Parent() == nil:
		before, after = beyond(n)
	}
	for _, hint := range before {
		rows = append(rows, &row{hint: hint, parent: parent})
	}
	for _, c := range n.Children {
		rows = append(rows, rowsOf(how, c, parent, depth)...)
	}
	for _, hint := range after {
		rows = append(rows, &row{hint: hint, parent: parent})
	}
	return rows
}

const tooDeepHint = " deeper; `--depth` or `--within` shows them"

// tooDeep counts what lies below the depth asked for.
func tooDeep(n *ui.Node, parent *row) []*row {
	count := 0
	n.Walk(func(d *ui.Node) bool {
		if shown(d) {
			count++
		}
		return true
	})
	return []*row{{hint: fmt.Sprintf("%d", count) + tooDeepHint, parent: parent}}
}

// mergeHints makes neighbouring counts of one parent one.
func mergeHints(rows []*row) []*row {
	var out []*row
	for _, r := range rows {
		if len(out) > 0 {
			last := out[len(out)-1]
			var a, b int
			if last.parent == r.parent && strings.HasSuffix(last.hint, tooDeepHint) && strings.HasSuffix(r.hint, tooDeepHint) {
				fmt.Sscan(last.hint, &a)
				fmt.Sscan(r.hint, &b)
				last.hint = fmt.Sprintf("%d", a+b) + tooDeepHint
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// beyond says what a scrolling container holds out of sight, by direction; lists often leave out rows further away, so
// it is never more than a hint.
func beyond(box *ui.Node) (before, after []string) {
	names := map[string][]string{}
	counts := map[string]int{}
	var look func(*ui.Node)
	look = func(n *ui.Node) {
		if !n.Visible() && !n.Frame.Empty() && n.Seen().Empty() && n.Tells() {
			where := away(n.Frame, box.Seen())
			if counts[where]++; counts[where] <= few && n.Name() != "" {
				names[where] = append(names[where], ui.Quote(n.Name()))
			}
			return
		}
		for _, c := range n.Children {
			if !c.Scrolls() { // an inner one speaks for itself
				look(c)
			}
		}
	}
	for _, c := range box.Children {
		if !c.Scrolls() {
			look(c)
		}
	}
	hint := func(where string) []string {
		if counts[where] == 0 {
			return nil
		}
		said := fmt.Sprintf("%d more %s", counts[where], where)
		if len(names[where]) > 0 && counts[where] <= few {
			said += ": " + strings.Join(names[where], ", ")
		}
		return []string{said}
	}
	after = append(hint("below"), hint("right")...)
	if len(after) == 0 {
		after = goesOn(box)
	}
	return append(hint("above"), hint("left")...), after
}

// goesOn says that a list may have more rows than were told: one that meets its lower edge may not be the last, and rows out of sight are
// often not told at all.
func goesOn(box *ui.Node) []string {
	if role := box.Role(); role != "list" && role != "grid" {
		return nil
	}
	seen := box.Seen()
	meets := func(c *ui.Node) bool { return c.Visible() && c.Frame.Y+c.Frame.H >= seen.Y+seen.H }
	if !slices.ContainsFunc(box.Children, meets) {
		return nil
	}
	return []string{"may go on below"}
}

// few is how many elements out of sight are named; of more, the first ones would say little for what they cost.
const few = 3

// away is the direction in which a frame lies outside another.
func away(f, of ui.Rect) string {
	switch {
	case f.Y >= of.Y+of.H:
		return "below"
	case f.Y+f.H <= of.Y:
		return "above"
	case f.X >= of.X+of.W:
		return "right"
	}
	return "left"
}
