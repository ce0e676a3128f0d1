package ui

import (
	"slices"
	"strings"
)

// Outcome is the result of an action as far as the screen shows it.
type Outcome string

// Unknown never comes from a diff: it stands for input that may or may not have arrived.
const (
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged"
	Unknown   Outcome = "unknown"
)

// The kinds of evidence for an outcome.
const (
	EvidenceEnded   = "ended"   // the app exited, or closed its last window
	EvidenceTarget  = "target"  // the element acted on changed or disappeared
	EvidenceScreen  = "screen"  // other elements appeared, disappeared, changed or moved
	EvidenceFocus   = "focus"   // the focus or the keyboard moved
	EvidenceAmbient = "ambient" // only elements that change by themselves: spinners, the status bar
)

// evidenceOrder lists the evidence as reported: the strongest first.
var evidenceOrder = [...]string{EvidenceTarget, EvidenceScreen, EvidenceFocus, EvidenceAmbient}

// Judge says what a diff proves about an action on target (nil if the action had no target). Elements that move by themselves prove
// nothing.
func (d Diff) Judge(target *Node) (Outcome, []string) {
	found := map[string]bool{}
	for _, n := range d.Removed {
		found[kindOfEvidence(n, target)] = true
	}
	for _, n := range d.Added {
		found[kindOfEvidence(n, target)] = true
	}
	for _, c := range d.Changed {
		if c.Field == "focused" {
			found[EvidenceFocus] = true
		} else {
			found[kindOfEvidence(c.Before, target)] = true
		}
	}
	if d.Moved > 0 {
		found[EvidenceScreen] = true
	}
	var evidence []string
	for _, kind := range evidenceOrder {
		if found[kind] {
			evidence = append(evidence, kind)
		}
	}
	if len(evidence) == 0 || evidence[0] == EvidenceAmbient {
		return Unchanged, evidence
	}
	return Changed, evidence
}

// Slipped reports whether a new element pushed the target away from the touched point while nothing shows that the target was hit. The
// touched element is then unknown. A target that reacts, disappears or leads to another screen was hit.
func (d Diff) Slipped(target *Node, at Point) bool {
	now := d.stayed(target)
	if now == nil || now.seen.Contains(at) || d.Before.Title() != d.After.Title() {
		return false
	}
	inside := func(n *Node) bool { return n.Within(target) || n.Within(now) }
	if slices.ContainsFunc(slices.Concat(d.Added, d.Removed), inside) ||
		slices.ContainsFunc(d.Changed, func(c Change) bool { return inside(c.After) }) {
		return false
	}
	return slices.ContainsFunc(d.Added, func(n *Node) bool { return n.told && n.Visible() && !n.ambient() && !n.underKeyboard() })
}

// stayed is an element of the earlier look on the later one, or nil.
func (d Diff) stayed(old *Node) *Node {
	for now, was := range d.Partner {
		if was == old && old != nil {
			return now
		}
	}
	return nil
}

// OnlyCame reports whether the diff has only new elements and the moves that made room for them: no existing element reacted.
func (d Diff) OnlyCame() bool {
	return !slices.ContainsFunc(d.Removed, func(n *Node) bool { return n.told && !n.ambient() }) &&
		!slices.ContainsFunc(d.Changed, func(c Change) bool { return c.Field == "focused" || !c.Before.ambient() })
}

// Ended reports whether a progress indicator from before the input has disappeared while the target shows no reaction. The other changes
// may then come from the work that has ended.
func (d Diff) Ended(target *Node) bool {
	mine := func(n *Node) bool { return target != nil && n.Within(target) }
	return slices.ContainsFunc(d.Removed, (*Node).runs) && !slices.ContainsFunc(d.Removed, mine) &&
		!slices.ContainsFunc(d.Changed, func(c Change) bool { return mine(c.Before) }) && d.Before.Title() == d.After.Title()
}

// Running are the visible indicators of work in progress: spinners, and progress bars that are not full.
func (s *Screen) Running() []*Node { return s.find((*Node).runs) }

// Spins reports whether the element shows work in progress without a percentage.
func (n *Node) Spins() bool { return n.Type == "ActivityIndicator" }

// runs reports whether the element is a visible indicator of work in progress.
func (n *Node) runs() bool {
	full := n.Value == "1" || n.Value == "100" || strings.HasPrefix(n.Value, "100%") || strings.HasPrefix(n.Value, "100 %")
	return n.Role() == "progressbar" && kinds[n.Type].ambient && n.Visible() && !(full && !n.Spins())
}

// BeyondFocus reports whether the app shows more than a moved focus and a shown or hidden keyboard. Elements that only made room for the
// keyboard do not count.
func (d Diff) BeyondFocus() bool {
	told := func(n *Node) bool { return n.told && !n.ambient() && !n.underKeyboard() }
	return slices.ContainsFunc(d.Added, told) || slices.ContainsFunc(d.Removed, told) ||
		slices.ContainsFunc(d.Changed, func(c Change) bool { return c.Field != "focused" && !c.Before.ambient() && !c.Before.underKeyboard() })
}

func kindOfEvidence(n, target *Node) string {
	switch {
	case target != nil && n.Within(target):
		return EvidenceTarget
	case n.ambient():
		return EvidenceAmbient
	case n.underKeyboard():
		return EvidenceFocus
	}
	return EvidenceScreen
}

// notification is SpringBoard's identifier for a notification banner, which appears and disappears by itself.
const notification = "NotificationShortLookView"

func (n *Node) ambient() bool {
	if n.Made {
		return true
	}
	for ; n != nil; n = n.parent {
		if kinds[n.Type].ambient || n.Identifier == notification || n.overApp() && n.holds(notification) {
			return true
		}
	}
	return false
}

// overApp reports whether the element is the root of an overlay: in a tree with several roots, the app's root is the first.
func (n *Node) overApp() bool {
	return n.Type == "Application" && n.parent != nil && n.parent.Made && n.parent.Children[0] != n
}

func (n *Node) holds(identifier string) (found bool) {
	n.Walk(func(c *Node) bool {
		found = found || c.Identifier == identifier
		return !found
	})
	return found
}
