package ui

import (
	"fmt"
	"strings"
)

// Diff is what is different between two looks at a device.
type Diff struct {
	Added   []*Node
	Removed []*Node
	Changed []Change
	Moved   int // elements that only changed their place

	before, after *Screen
	partner       map[*Node]*Node // of after's nodes, in before
}

// Change is one field of one element that both looks know.
type Change struct {
	Field    string
	Old, New string
	before   *Node
	after    *Node
}

// Compare finds what is different. Elements are matched by identity; twins by their order.
func Compare(before, after *Screen) Diff {
	d := Diff{before: before, after: after, partner: match(before, after)}
	seen := make(map[*Node]bool, len(d.partner))
	for _, n := range after.nodes {
		old := d.partner[n]
		if old == nil {
			d.Added = append(d.Added, n)
			continue
		}
		seen[old] = true
		d.compare(old, n)
	}
	for _, n := range before.nodes {
		if !seen[n] {
			d.Removed = append(d.Removed, n)
		}
	}
	return d
}

func (d *Diff) compare(old, n *Node) {
	count := len(d.Changed)
	for _, f := range [...]Change{
		{Field: "label", Old: old.Label, New: n.Label},
		{Field: "value", Old: old.Value, New: n.Value},
		{Field: "enabled", Old: yes(!old.Disabled), New: yes(!n.Disabled)},
		{Field: "focused", Old: yes(old.Focused), New: yes(n.Focused)},
		{Field: "selected", Old: yes(old.Selected), New: yes(n.Selected)},
		{Field: "placeholder", Old: old.Placeholder, New: n.Placeholder},
	} {
		if f.Old != f.New {
			f.before, f.after = old, n
			d.Changed = append(d.Changed, f)
		}
	}
	if len(d.Changed) == count && old.Frame != n.Frame {
		d.Moved++
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Lines writes the diff down for models: + added, - removed, ~ changed. What an outline would not show is left out,
// and a screen that gave way to another is one line, not one for everything that was on it.
func (d Diff) Lines(device string, refs *Refs) []string {
	lines := []string{}
	from, to := d.before.Title(), d.after.Title()
	if from != to {
		lines = append(lines, fmt.Sprintf("~ screen: %s → %s", Quote(from), Quote(to)))
	} else {
		lines = d.removals(lines)
	}
	for _, n := range d.Added {
		if d.after.worthShowing(n) {
			lines = append(lines, "+ "+d.after.line(n, device, refs))
		}
	}
	for _, c := range d.Changed {
		if d.after.worthShowing(c.after) {
			lines = append(lines, "~ "+c.line(d.after, device, refs))
		}
	}
	if up, was := d.after.Keyboard() != nil, d.before.Keyboard() != nil; up != was {
		lines = append(lines, map[bool]string{true: "+ keyboard", false: "- keyboard"}[up])
	}
	if d.Moved > 0 && len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("~ %d elements moved", d.Moved))
	}
	return lines
}

func (d Diff) removals(lines []string) []string {
	for _, n := range d.Removed {
		if d.before.worthShowing(n) {
			lines = append(lines, "- "+n.Describe())
		}
	}
	return lines
}

// line names the element by what it was called before: its label may be what changed.
func (c Change) line(s *Screen, device string, refs *Refs) string {
	who := fmt.Sprintf("%s [ref=%s]", c.before.Describe(), refs.Name(device, s, c.after))
	if c.Field == "label" || c.Field == "value" || c.Field == "placeholder" {
		return fmt.Sprintf("%s %s: %s → %s", who, c.Field, Quote(c.Old), Quote(c.New))
	}
	return fmt.Sprintf("%s %s: %s → %s", who, c.Field, c.Old, c.New)
}

// Summary caps the lines of a diff.
func Summary(lines []string, most int) string {
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n… %d more; `snapshot` shows all", len(lines)-most)
}
