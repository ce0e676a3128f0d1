package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/bundleid"
)

// Outlining chooses what an outline shows. The zero value shows everything on the screen that tells an agent something.
type Outlining struct {
	All    bool  // every element, also those that only hold others and those out of sight
	Depth  int   // how deep to nest; 0 is all the way
	Within *Node // only what lies in this element; nil is the screen
	Budget int   // about how many tokens it may cost; 0 is no limit
	Lines  int   // how many lines it may have; 0 is no limit; not with a budget
	Full   bool  // texts of any length
}

// Outline is what models read: a header, then one line an element that matters, nested as on the screen, in the
// grammar of Playwright's aria snapshots, which models have seen often.
func (s *Screen) Outline(device string, refs *Refs) string {
	return s.OutlineOf(Outlining{}, device, refs)
}

// OutlineOf is Outline with a choice. Whatever is left out for lack of room is counted, with a way to get it.
func (s *Screen) OutlineOf(how Outlining, device string, refs *Refs) string {
	header := s.Header()
	if s.Root == nil {
		return header
	}
	root := s.Root
	if how.Within != nil {
		root = how.Within
	}
	rows := mergeHints(s.rows(how, root, nil, 0))
	left := ""
	news := func() map[*Node]bool { return refs.news(device, s) }
	switch {
	case how.Budget > 0:
		rows, left = s.afford(rows, how.Budget-tokens(header), news)
	case how.Lines > 0 && len(rows)+1 > how.Lines:
		rows, left = s.within(rows, how.Lines-2, news) // the header and what is left out have a line too
	}
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rows {
		b.WriteString("\n" + strings.Repeat("  ", r.depth()))
		if r.hint != "" {
			b.WriteString("… " + r.hint)
			continue
		}
		b.WriteString("- " + s.line(r.node, device, refs, how.Full))
	}
	if left != "" {
		b.WriteString("\n… " + left)
	}
	if !how.Full && slices.ContainsFunc(rows, func(r *row) bool { return r.node != nil && (cut(r.node.Name()) || cut(r.node.value())) }) {
		b.WriteString("\n… long texts are cut: `ios-agent get REF` has one whole, `--full` all")
	}
	return b.String()
}

// Blank reports whether an outline of the screen would be empty.
func (s *Screen) Blank() bool { return s.Root == nil || len(s.rows(Outlining{}, s.Root, nil, 0)) == 0 }

// row is one line to be: an element, or a hint about some that have none.
type row struct {
	node   *Node
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

// rows are the lines about n and all below it.
func (s *Screen) rows(how Outlining, n *Node, parent *row, depth int) []*row {
	var rows []*row
	if how.All && !n.Made || s.worthShowing(n) {
		if how.Depth > 0 && depth >= how.Depth {
			return s.tooDeep(n, parent)
		}
		parent = &row{node: n, parent: parent}
		rows = append(rows, parent)
		depth++
	}
	var before, after []string
	if !how.All && (kinds[n.Type].clips || n.parent == nil) {
		before, after = beyond(n)
	}
	for _, hint := range before {
		rows = append(rows, &row{hint: hint, parent: parent})
	}
	for _, c := range n.Children {
		rows = append(rows, s.rows(how, c, parent, depth)...)
	}
	for _, hint := range after {
		rows = append(rows, &row{hint: hint, parent: parent})
	}
	return rows
}

const tooDeepHint = " deeper; `--depth` or `--within` shows them"

// tooDeep counts what lies below the depth asked for.
func (s *Screen) tooDeep(n *Node, parent *row) []*row {
	count := 0
	n.Walk(func(d *Node) bool {
		if s.worthShowing(d) {
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
func beyond(box *Node) (before, after []string) {
	names := map[string][]string{}
	counts := map[string]int{}
	var look func(*Node)
	look = func(n *Node) {
		if !n.Visible() && !n.Frame.Empty() && n.seen.Empty() && n.told {
			where := away(n.Frame, box.seen)
			if counts[where]++; counts[where] <= few && n.Name() != "" {
				names[where] = append(names[where], Quote(n.Name()))
			}
			return
		}
		for _, c := range n.Children {
			if !kinds[c.Type].clips { // an inner one speaks for itself
				look(c)
			}
		}
	}
	for _, c := range box.Children {
		if !kinds[c.Type].clips {
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
	return append(hint("above"), hint("left")...), append(hint("below"), hint("right")...)
}

// few is how many elements out of sight are named; of more, the first ones would say little for what they cost.
const few = 3

// away is the direction in which a frame lies outside another.
func away(f, of Rect) string {
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

// leftOutCost is what the last line of a shortened outline costs.
const leftOutCost = 40

// afford keeps the lines a budget has room for, what is new and what one can act on first, and says what it left out.
func (s *Screen) afford(rows []*row, budget int, news func() map[*Node]bool) ([]*row, string) {
	costs := make([]int, len(rows))
	total := 0
	for i, r := range rows {
		costs[i] = tokens(strings.Repeat("  ", r.depth())) + tokens(r.hint) + 2
		if r.node != nil {
			costs[i] += tokens(r.node.Describe()+" [ref=e1234]"+r.node.states()+r.node.value()) + 1
		}
		total += costs[i]
	}
	if total <= budget {
		return rows, ""
	}
	kept, left := s.keep(rows, costs, budget-leftOutCost, news())
	return kept, fmt.Sprintf("%s: `--budget` %d shows all, `--within` a part", left, total+tokens(s.Header()))
}

// within keeps so many lines, as afford does.
func (s *Screen) within(rows []*row, most int, news func() map[*Node]bool) ([]*row, string) {
	kept, left := s.keep(rows, slices.Repeat([]int{1}, len(rows)), most, news())
	return kept, left + ": `ios-agent snapshot` shows all"
}

// keep keeps the lines there is room for, and counts the others. What is new comes first: it is what the last action did.
func (s *Screen) keep(rows []*row, costs []int, room int, news map[*Node]bool) ([]*row, string) {
	byRank := make([]int, len(rows))
	for i := range byRank {
		byRank[i] = i
	}
	modal := s.Modal()
	rank := func(r *row) int {
		if r.node != nil && (news[r.node] || r.node.Focused) {
			return r.rank(modal)
		}
		return ranks + r.rank(modal)
	}
	slices.SortStableFunc(byRank, func(a, b int) int { return rank(rows[a]) - rank(rows[b]) })
	left, toAct := 0, 0
	for _, i := range byRank {
		if room -= costs[i]; room >= 0 {
			continue
		}
		rows[i].cut = true
		if rows[i].node != nil {
			left++
			if rows[i].node.Interactive() {
				toAct++
			}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.cut })
	return kept, fmt.Sprintf("%d more left out, %d to act on", left, toAct)
}

// rank orders lines by use: what can be acted on, above all in a dialog; what structures the screen; the rest.
func (r *row) rank(modal *Node) int {
	n := r.node
	switch {
	case n == nil:
		return 4
	case modal != nil && n.Within(modal):
		return 0
	case n.Interactive() && n.Hittable():
		return 1
	case n.Interactive():
		return 2
	case kinds[n.Type].frame, n.Type == "Heading":
		return 3
	}
	return 5
}

// ranks is more than any rank.
const ranks = 6

// tokens estimates how many tokens a text has for a model. It rather estimates too many, so that a budget is kept.
func tokens(text string) int {
	thirds := 0
	for _, r := range text {
		thirds++
		if r >= 0x80 {
			thirds += 3
		}
	}
	return (thirds + 2) / 3
}

// Header says in one line what is not in the tree: which screen, which app, what is in the way. A line before it tells of an
// app that has ended.
func (s *Screen) Header() string {
	parts := []string{"screen:" + s.hash, "title:" + Quote(s.Title())}
	switch name := s.AppName(); {
	case s.App != "":
		parts = append(parts, "app:"+bundleid.Shown(s.App))
	case name != "" && name != s.Title():
		parts = append(parts, "app:"+Quote(name))
	}
	if s.Device != "" {
		parts = append(parts, "device:"+Quote(s.Device))
	}
	if s.Root == nil {
		parts = append(parts, "state:"+cmp.Or(s.State, "no elements"))
	}
	if m := s.Modal(); m != nil {
		parts = append(parts, "modal:"+Quote(m.Name()))
	}
	if s.Keyboard() != nil {
		parts = append(parts, "keyboard:shown")
	}
	switch {
	case s.Truncated > 0:
		parts = append(parts, fmt.Sprintf("truncated:%d", s.Truncated))
	case s.Truncated < 0:
		parts = append(parts, "truncated:unknown")
	}
	if s.Unsure {
		parts = append(parts, "covers:unknown")
	}
	if !s.Settled {
		parts = append(parts, "still-moving")
	}
	if s.Ended != "" {
		return s.Ended + "\n" + strings.Join(parts, " ")
	}
	return strings.Join(parts, " ")
}

// line is one element: role "name" [ref=e12] [states]: value
func (s *Screen) line(n *Node, device string, refs *Refs, full bool) string {
	ref := " [ref=" + refs.Name(device, s, n) + "]" + n.states()
	if !full || !cut(n.Name()) && !cut(n.Value) {
		return n.Describe() + ref + n.value()
	}
	whole := n.Role() + ref
	if name := n.Name(); name != "" {
		whole = n.Role() + " " + QuoteWhole(name) + ref
	}
	if n.value() != "" {
		whole += ": " + QuoteWhole(n.Value)
	}
	return whole
}

func (n *Node) states() string {
	var b strings.Builder
	for _, state := range [...]struct {
		holds bool
		name  string
	}{
		{n.Disabled, "disabled"}, {n.Focused, "focused"}, {n.Selected, "selected"}, {n.Secure, "secure"},
		{n.Type == "TextView", "multiline"}, {n.covered != nil && n.Interactive(), "covered"},
		{n.BlindWeb(), "content hidden"}, {n.Hidden, "hidden"}, {!n.Hidden && !n.Visible(), "off-screen"},
	} {
		if state.holds {
			b.WriteString(" [" + state.name + "]")
		}
	}
	if percent := n.VisiblePercent(); percent > 0 && percent < 50 && n.Interactive() {
		fmt.Fprintf(&b, " [%d%% visible]", percent)
	}
	return b.String()
}

func (n *Node) value() string {
	if !n.says(n.Value) || n.Value == n.Label || n.Value == n.Placeholder {
		return ""
	}
	return ": " + Inline(n.Value)
}
