// Package outline renders screens for models: a screen as indented lines, and the difference of two looks as added, removed and changed
// lines. Of returns the outline of a screen, Changes the lines of a diff. Every actionable element has its ref there. This package decides
// the format, the order and the length; which elements are worth a line is decided by package ui.
package outline

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Choice selects the content of an outline. The zero value shows every visible element that helps an agent.
type Choice struct {
	All    bool     // every element, including pure containers and elements out of sight
	Depth  int      // maximum depth of nesting; 0: unlimited
	Within *ui.Node // only elements inside this one; nil: the screen
	Budget int      // approximate maximum number of tokens; 0: unlimited
	Lines  int      // maximum number of lines; 0: unlimited; not with a budget
	Full   bool     // texts of any length
}

// Of is the text that models read: a header, then one line for each relevant element, nested as on the screen, in the grammar of
// Playwright's aria snapshots, which models know well. Elements left out for lack of room are counted, with a way to see them.
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
		rows, left = within(s, rows, how.Lines-2, news) // the header and the note about omitted lines take a line each
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
		fmt.Fprintf(&b, "\n… long texts are cut: %s shows the first one whole, %s shows all",
			hint.Do("get_element", "ref", "@"+refs.Name(device, s, rows[long].node)), hint.Field("full"))
	}
	return b.String()
}

// noneWithin says why the outline of an element is empty.
func noneWithin(n *ui.Node) string {
	below := 0
	n.Walk(func(d *ui.Node) bool {
		if d != n && d.Tells() {
			below++
		}
		return true
	})
	what := n.Describe() + " and its content"
	if below == 0 {
		what = n.Describe() + ", which is empty,"
	}
	switch {
	case !n.Visible() && n.Seen().Empty():
		return what + " cannot be seen: off the screen or hidden; " + hint.Field("all") + " shows them"
	case !n.Visible():
		return what + " cannot be seen: something covers it; " + hint.Field("all") + " shows them"
	}
	return what + " has no text or action of its own; " + hint.Field("all") + " shows its parts"
}

// Blank reports whether an outline of the screen would be empty.
func Blank(s *ui.Screen) bool { return s.Root == nil || len(rowsOf(Choice{}, s.Root, nil, 0)) == 0 }

// shown reports whether an outline has a line about the element.
func shown(n *ui.Node) bool { return n.Tells() && n.Visible() }

// Scope lists the nodes that an outline of this choice covers, shown or not.
func Scope(s *ui.Screen, how Choice) (nodes []*ui.Node) {
	root := s.Root
	if how.Within != nil {
		root = how.Within
	}
	depths := map[*ui.Node]int{} // number of shown elements around each
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

// row is one future line: an element, or a note about omitted elements.
type row struct {
	node   *ui.Node
	hint   string
	parent *row
	cut    bool
}

// depth counts the lines around this one.
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

var tooDeepHint = " deeper; " + hint.Field("depth") + " or " + hint.Field("within") + " shows them"

// tooDeep counts the elements below the maximum depth.
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

// mergeHints merges neighbouring counts with the same parent.
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

// beyond counts the content of a scrolling container that is out of sight, by direction. Lists often omit distant rows, so the count is
// only a hint.
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
			if !c.Scrolls() { // an inner scrolling container has its own line
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

// goesOn reports that a list may have more rows than the tree: a row that meets the list's lower edge may not be the last, and many apps
// omit rows that are out of sight.
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

// few is the maximum number of out-of-sight elements that are named; in a longer list, the first names would say little for their cost.
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
