package ui

import (
	"slices"
	"strings"
)

// Outcome is what came of an action, as far as the screen tells.
type Outcome string

// Unknown is never derived from a diff: it is for input that may or may not have arrived.
const (
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged"
	Unknown   Outcome = "unknown"
)

// The kinds of evidence for an outcome.
const (
	EvidenceEnded   = "ended"   // the app left by itself, or closed its last window
	EvidenceTarget  = "target"  // the element acted on changed, or is gone
	EvidenceScreen  = "screen"  // other elements came, went, changed or moved
	EvidenceFocus   = "focus"   // the focus or the keyboard moved
	EvidenceAmbient = "ambient" // only what changes by itself: spinners, the status bar
)

// evidenceOrder is how evidence is reported: the strongest first.
var evidenceOrder = [...]string{EvidenceTarget, EvidenceScreen, EvidenceFocus, EvidenceAmbient}

// Judge says what a diff proves about an action on target (nil when the action had none). What moves by itself proves
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

// Slipped reports whether something came that pushed the target away from the finger that touched it at a point, and nothing shows that
// the target was met: then nobody knows what was. A target that reacts, goes, or leads to another screen was met.
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

// stayed is an element of the earlier look on the later one; nil when it is gone.
func (d Diff) stayed(old *Node) *Node {
	for now, was := range d.Partner {
		if was == old && old != nil {
			return now
		}
	}
	return nil
}

// OnlyCame reports whether all that is different is what came, and what made room for it: nothing that was there shows a reaction.
func (d Diff) OnlyCame() bool {
	return !slices.ContainsFunc(d.Removed, func(n *Node) bool { return n.told && !n.ambient() }) &&
		!slices.ContainsFunc(d.Changed, func(c Change) bool { return c.Field == "focused" || !c.Before.ambient() })
}

// Ended reports whether an indicator has gone that showed before the input that something was under way, and the target shows nothing:
// what came with it may be the end of that.
func (d Diff) Ended(target *Node) bool {
	mine := func(n *Node) bool { return target != nil && n.Within(target) }
	return slices.ContainsFunc(d.Removed, (*Node).runs) && !slices.ContainsFunc(d.Removed, mine) &&
		!slices.ContainsFunc(d.Changed, func(c Change) bool { return mine(c.Before) }) && d.Before.Title() == d.After.Title()
}

// Running are the indicators in sight of something that is under way: spinners, and bars that are not full.
func (s *Screen) Running() []*Node { return s.find((*Node).runs) }

// Spins reports whether the element shows that something is under way, and not how far it is.
func (n *Node) Spins() bool { return n.Type == "ActivityIndicator" }

// runs reports whether the element is an indicator in sight of something that is under way.
func (n *Node) runs() bool {
	full := n.Value == "1" || n.Value == "100" || strings.HasPrefix(n.Value, "100%") || strings.HasPrefix(n.Value, "100 %")
	return n.Role() == "progressbar" && kinds[n.Type].ambient && n.Visible() && !(full && !n.Spins())
}

// BeyondFocus reports whether the app shows more than that the focus moved and the keyboard came or went. What only made room for the
// keyboard is not more.
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

// notification is what SpringBoard calls the banner of a notification. It comes and goes by itself.
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

// overApp reports whether the element is the root of a tree that lies over the app's: a tree with several roots has the app's
// first.
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
