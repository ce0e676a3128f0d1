package ui

import "slices"

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
