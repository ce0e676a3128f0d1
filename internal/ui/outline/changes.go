package outline

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// teller renders a diff for models. It is as short as possible while every new actionable element keeps its name and its ref, also in
// folded lines.
type teller struct {
	ui.Diff
	device string
	refs   *ui.Refs
	stayed map[*ui.Node]*ui.Node // of before's nodes, in after
}

// Changes renders a diff for models: + added, - removed, ~ changed. Elements that an outline would hide are left out. A replaced screen is
// one line, not one line for each of its elements; the content of a row is one line; of many similar rows only the first are written in
// full.
func Changes(d ui.Diff, device string, refs *ui.Refs) []string {
	t := teller{Diff: d, device: device, refs: refs, stayed: make(map[*ui.Node]*ui.Node, len(d.Partner))}
	for now, old := range d.Partner {
		t.stayed[old] = now
	}
	t.parts()
	lines := t.front()
	from, to := d.Before.Title(), d.After.Title()
	if from != to {
		lines = append(lines, fmt.Sprintf("~ screen: %s → %s", ui.Quote(from), ui.Quote(to)))
	}
	if from == to || d.Before.Beneath() == d.After.Beneath() { // only the presented layer disappeared, and the app's screen stayed
		lines = append(lines, t.removals()...)
	}
	lines = append(append(lines, t.additions()...), t.changes()...)
	switch up, was := d.After.Keyboard() != nil, d.Before.Keyboard() != nil; {
	case up && !was:
		lines = append(lines, "+ keyboard"+t.underKeyboard())
	case was && !up:
		lines = append(lines, "- keyboard")
	}
	if d.Moved > 0 && len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("~ %d elements moved", d.Moved))
	}
	return lines
}

// parts splits falsely matched rows: if a text moved from a removed row to a new one, such as a price, it becomes an addition in its own
// row. A row that keeps its place remains one row.
func (t *teller) parts() {
	came, went := rowsWith(t.Added), rowsWith(t.Removed)
	added, removed := set(t.Added), set(t.Removed)
	for n, old := range t.Partner {
		if n.Frame != old.Frame && came[rowOf(n)] && went[rowOf(old)] {
			added[n], removed[old] = true, true
		}
	}
	among := func(some map[*ui.Node]bool) func(*ui.Node) bool { return func(n *ui.Node) bool { return !some[n] } }
	t.Added = slices.DeleteFunc(slices.Clone(t.After.Nodes()), among(added))
	t.Removed = slices.DeleteFunc(slices.Clone(t.Before.Nodes()), among(removed))
}

func set(nodes []*ui.Node) map[*ui.Node]bool {
	all := make(map[*ui.Node]bool, len(nodes))
	for _, n := range nodes {
		all[n] = true
	}
	return all
}

// rowsWith are the rows that contain the given elements.
func rowsWith(nodes []*ui.Node) map[*ui.Node]bool {
	rows := map[*ui.Node]bool{}
	for _, n := range nodes {
		if row := rowOf(n); row != nil {
			rows[row] = true
		}
	}
	return rows
}

// front reports that another app is in front, unless the titles show it: the title of a home screen is its app.
func (t teller) front() []string {
	from, to := t.Before.App, t.After.App
	if from == to || from == "" || to == "" || from == t.Before.Title() || to == t.After.Title() {
		return []string{}
	}
	return []string{fmt.Sprintf("~ app: %s → %s", bundleid.Shown(from), bundleid.Shown(to))}
}

// underKeyboard names the actionable elements under a keyboard that appeared: a tap there would be refused.
func (t teller) underKeyboard() string {
	var names []string
	for _, n := range t.After.Actionable() {
		if n.Covered() != nil && n.Covered().Type == "Keyboard" && shown(n) {
			names = append(names, n.Describe()+t.ref(t.After, n))
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > enough+1:
		names = append(names[:enough], fmt.Sprintf("%d more", len(names)-enough))
	}
	return " over " + strings.Join(names, ", ")
}

// piece is the subject of one line: an element, or the content of a row without a name.
type piece struct {
	nodes []*ui.Node
	row   *ui.Node // nil for an element by itself
}

// pieces groups elements, in the order of the screen.
func pieces(nodes []*ui.Node) []piece {
	var out []piece
	for _, n := range nodes {
		if !shown(n) {
			continue
		}
		row := rowOf(n)
		if last := len(out) - 1; row != nil && last >= 0 && out[last].row == row {
			out[last].nodes = append(out[last].nodes, n)
			continue
		}
		out = append(out, piece{[]*ui.Node{n}, row})
	}
	return out
}

// rowOf is the nameless cell the element lies in.
func rowOf(n *ui.Node) *ui.Node {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.OnlyHolds() {
			return p
		}
		if p.Scrolls() {
			return nil
		}
	}
	return nil
}

// like reports whether two pieces are rows of one kind: in one container, with the same elements in the same states.
func (p piece) like(o piece) bool {
	if len(p.nodes) != len(o.nodes) || p.holder() != o.holder() {
		return false
	}
	for i, n := range p.nodes {
		if m := o.nodes[i]; n.Type != m.Type || states(n) != states(m) || value(n) != value(m) {
			return false
		}
	}
	return true
}

func (p piece) holder() *ui.Node {
	if p.row != nil {
		return p.row.Parent()
	}
	return p.nodes[0].Parent()
}

// enough is the number of similar pieces written in full; a run is folded when that saves at least two lines.
const enough = 2

// additions lists the added elements.
func (t teller) additions() []string {
	var lines []string
	came := pieces(t.Added)
	for i := 0; i < len(came); {
		end := i + 1
		for end < len(came) && came[i].like(came[end]) {
			end++
		}
		whole := end
		if end-i > enough+1 {
			whole = i + enough
		}
		for _, p := range came[i:whole] {
			if !t.said(p) {
				lines = append(lines, "+ "+t.whole(p))
			}
		}
		if whole < end {
			lines = append(lines, "+ "+t.folded(came[whole:end]))
		}
		i = end
	}
	return append(lines, t.outOfSight()...)
}

// The new screen's title bar: the line about the screen has its name.
func (t teller) said(p piece) bool {
	n := p.nodes[0]
	return len(p.nodes) == 1 && n.Type == "NavigationBar" && n.Name() == t.After.Title() && t.Before.Title() != t.After.Title()
}

// whole is one piece in full. Texts and pictures get no ref: they are read, not acted on.
func (t teller) whole(p piece) string {
	parts := make([]string, len(p.nodes))
	for i, n := range p.nodes {
		what := n.Describe()
		if p.row != nil && n.Type == "StaticText" && n.Name() != "" {
			what = ui.Quote(n.Name())
		}
		parts[i] = what + t.ref(t.After, n) + states(n) + value(n)
	}
	return strings.Join(parts, ", ")
}

// folded summarizes pieces similar to the ones before: the actionable elements with their refs, and a sample of the texts.
func (t teller) folded(more []piece) string {
	var names, read []string
	for _, p := range more {
		acted := false
		for _, n := range p.nodes {
			if n.Interactive() {
				names = append(names, ui.Quote(n.Name())+t.ref(t.After, n))
				acted = true
			}
		}
		if !acted && p.nodes[0].Name() != "" {
			read = append(read, ui.Quote(p.nodes[0].Name()))
		}
	}
	if len(read) > few+1 {
		read = append(read[:few], "…")
	}
	names = append(names, read...)
	return fmt.Sprintf("%d more like this: %s", len(more), strings.Join(names, ", "))
}

func (t teller) ref(s *ui.Screen, n *ui.Node) string {
	if !n.Interactive() && !n.Landmark() && !n.Scrolls() {
		return ""
	}
	return " [ref=" + t.refs.Name(t.device, s, n) + "]"
}

// outOfSight counts the hidden content of new scrolling containers.
func (t teller) outOfSight() []string {
	var lines []string
	for _, n := range t.Added {
		if !n.Scrolls() || !n.Visible() {
			continue
		}
		before, after := beyond(n)
		for _, hint := range append(before, after...) {
			lines = append(lines, "… "+hint)
		}
	}
	return lines
}

// removals lists the removed elements. Elements that disappeared from the same container are counted.
func (t teller) removals() []string {
	var lines []string
	went := pieces(slices.DeleteFunc(slices.Clone(t.Removed), t.wentWith))
	for i := 0; i < len(went); {
		from := t.stays(went[i].nodes[0])
		end := i + 1
		for end < len(went) && t.stays(went[end].nodes[0]) == from {
			end++
		}
		group := went[i:end]
		i = end
		if len(group) > few {
			lines = append(lines, t.gone(from, group))
			continue
		}
		for _, p := range group {
			parts := make([]string, len(p.nodes))
			for i, n := range p.nodes {
				parts[i] = n.Describe()
			}
			lines = append(lines, "- "+strings.Join(parts, ", "))
		}
	}
	return lines
}

// wentWith reports whether an element disappeared with its alert or sheet, which has its own line.
func (t teller) wentWith(n *ui.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Takes() && t.stayed[p] == nil && shown(p) {
			return true
		}
	}
	return false
}

// stays is the nearest ancestor of n that is still there and gets a line; nil is the screen.
func (t teller) stays(n *ui.Node) *ui.Node {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if now := t.stayed[p]; now != nil && shown(now) {
			return now
		}
	}
	return nil
}

func (t teller) gone(from *ui.Node, group []piece) string {
	where := ""
	if from != nil {
		where = " of " + from.Describe() + t.ref(t.After, from)
	}
	var names []string
	for _, p := range group {
		if name := p.nodes[0].Name(); name != "" && len(names) < few {
			names = append(names, ui.Quote(name))
		}
	}
	return fmt.Sprintf("- %d%s: %s, …", len(group), where, strings.Join(names, ", "))
}

// changes lists the differences of the remaining elements, one line an element.
func (t teller) changes() []string {
	moved := false // the focus moved: the element that has it implies the loss elsewhere
	for _, c := range t.Changed {
		moved = moved || c.Field == "focused" && c.Holds()
	}
	var lines []string
	for i := 0; i < len(t.Changed); {
		end := i + 1
		for end < len(t.Changed) && t.Changed[end].After == t.Changed[i].After {
			end++
		}
		group := t.Changed[i:end]
		i = end
		if !shown(group[0].After) {
			continue
		}
		var said []string
		for _, c := range group {
			if c.Field == "focused" && !c.Holds() && moved || c.Field == "value" && echo(c, group) {
				continue
			}
			said = append(said, inWords(c))
		}
		if len(said) > 0 {
			lines = append(lines, "~ "+t.who(group)+" "+strings.Join(said, ", "))
		}
	}
	return lines
}

// A value that only repeats the new label.
func echo(c ui.Change, group []ui.Change) bool {
	for _, o := range group {
		if o.Field == "label" && o.New == c.New && (o.Old == c.Old || c.Old == "") {
			return true
		}
	}
	return false
}

// who gives the element's previous name, unless the line has that name anyway.
func (t teller) who(group []ui.Change) string {
	c := group[0]
	what := c.Before.Describe()
	if c.Field == "label" && c.Before.Name() == c.Old {
		what = c.Before.Role()
	}
	return what + t.ref(t.After, c.After)
}

// inWords is the change in words: states by name, texts with old and new value.
func inWords(c ui.Change) string {
	if state, is := stateWords[c.Field]; is {
		if c.Holds() {
			return state.on
		}
		return state.off
	}
	return fmt.Sprintf("%s: %s → %s", c.Field, ui.Quote(c.Old), ui.Quote(c.New))
}

var stateWords = map[string]struct{ on, off string }{
	"enabled":  {"enabled", "disabled"},
	"focused":  {"focused", "not focused"},
	"selected": {"selected", "not selected"},
}

// Summary caps the lines of a diff.
func Summary(lines []string, most int) string {
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n… %d more; %s shows all", len(lines)-most, hint.Do("snapshot"))
}
