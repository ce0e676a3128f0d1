package oracle_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// moment is what the world says of itself at one moment.
type moment struct {
	at     time.Time
	front  string
	root   *world.Element
	system *world.Element // what SpringBoard shows over it
	inputs int            // how many have reached the device
	faults []virtualxcode.Fault
}

// line is what can be told of one element.
type line struct {
	kind, id, label, value, placeholder string
	disabled, selected, focused         bool
	frame                               world.Rect
}

func lineOf(e *world.Element) line {
	return line{e.Type, e.Identifier, e.Label, e.Value, e.Placeholder, e.Disabled, e.Selected, e.Focused, e.Frame}
}

// String is the element in a report.
func (l line) String() string {
	text := fmt.Sprintf("%s %q %q", l.kind, l.id, l.label)
	if l.value != "" {
		text += fmt.Sprintf(" = %q", l.value)
	}
	return text + fmt.Sprintf(" %v", l.frame)
}

// lines are the elements of trees that do not change by themselves.
func lines(roots ...*world.Element) (all []line) {
	for _, root := range roots {
		if root != nil && !ambient(root) {
			all = append(all, lineOf(root))
			all = append(all, lines(root.Children...)...)
		}
	}
	return all
}

// ambientTypes change by themselves.
var ambientTypes = []string{"ActivityIndicator", "ProgressIndicator", "StatusBar", "ScrollBar"}

// ambientNames are elements that change by themselves: the indicator of endless-animation, the banner of a notification, and the
// count of the Conformance app.
var ambientNames = []string{"endless-animation", "NotificationShortLookView", "dynamic-counter-value"}

// ambient reports whether an element changes by itself, or is a container that only shows that something does.
func ambient(e *world.Element) bool {
	if slices.Contains(ambientTypes, e.Type) || slices.Contains(ambientNames, e.Identifier) || strings.HasPrefix(e.Identifier, ticking) {
		return true
	}
	plain := e.Type == "Window" || e.Type == "Other" && e.Identifier == "" || e.Type == "Application"
	return plain && len(e.Children) > 0 && !slices.ContainsFunc(e.Children, func(c *world.Element) bool { return !ambient(c) })
}

// differences are the elements that only one of two moments has.
func differences(before, after []line) (all []string) {
	count := map[line]int{}
	for _, l := range before {
		count[l]--
	}
	for _, l := range after {
		count[l]++
	}
	for l, n := range count {
		switch {
		case n < 0:
			all = append(all, "- "+l.String())
		case n > 0:
			all = append(all, "+ "+l.String())
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(a[2:], b[2:]), cmp.Compare(a, b)) })
	return all
}

// lines are those of all that the moment shows.
func (m moment) lines() []line { return lines(m.root, m.system) }

// appLines are lines without the keys of the keyboard, which answers leave out too.
func (m moment) appLines() []line {
	return slices.DeleteFunc(m.lines(), func(l line) bool { return l.kind == "Key" || l.kind == "Button" && l.id == "shift" })
}

// everything is lines, with what changes by itself.
func (m moment) everything() (all []line) {
	for _, root := range []*world.Element{m.root, m.system} {
		if root == nil {
			continue
		}
		for e := range root.All() {
			all = append(all, lineOf(e))
		}
	}
	return all
}

// restless are the elements of everything that lines leave out: what changes by itself.
func (m moment) restless() (all []line) {
	still := map[line]int{}
	for _, l := range m.lines() {
		still[l]++
	}
	for _, l := range m.everything() {
		if still[l]--; still[l] < 0 {
			all = append(all, l)
		}
	}
	return all
}

// find is the element with an identifier.
func (m moment) find(id string) (found *world.Element) {
	for _, root := range []*world.Element{m.root, m.system} {
		if root == nil {
			continue
		}
		for e := range root.All() {
			if e.Identifier == id && found == nil {
				found = e
			}
		}
	}
	return found
}

// lies reports whether a fault makes a look show what is not there, or hide what is: nobody can know the truth then.
func lies(kind virtualxcode.FaultKind) bool {
	return kind.Each == "a look" && kind.Name != flaw.SnapshotFails && kind.Name != flaw.ClockJump
}

// spent are the faults that happened between two moments.
func spent(before, after moment) (names []string) {
	left := map[string]int{}
	for _, f := range after.faults {
		left[f.Name] += f.Times
	}
	for _, f := range before.faults {
		if left[f.Name] -= f.Times; left[f.Name] < 0 && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}
