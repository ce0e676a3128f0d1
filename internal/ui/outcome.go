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
	EvidenceTarget  = "target"  // the element acted on changed, or is gone
	EvidenceScreen  = "screen"  // other elements came, went, changed or moved
	EvidenceFocus   = "focus"   // the focus or the keyboard moved
	EvidenceAmbient = "ambient" // only what changes by itself: spinners, the status bar
)

// Judge says what a diff proves about an action on target (nil when the action had none). What moves by itself proves
// nothing.
func (d Diff) Judge(target *Node) (Outcome, []string) {
	var evidence []string
	note := func(kind string) {
		if !slices.Contains(evidence, kind) {
			evidence = append(evidence, kind)
		}
	}
	for _, n := range d.Removed {
		note(kindOfEvidence(n, target))
	}
	for _, n := range d.Added {
		note(kindOfEvidence(n, target))
	}
	for _, c := range d.Changed {
		if c.Field == "focused" {
			note(EvidenceFocus)
		} else {
			note(kindOfEvidence(c.before, target))
		}
	}
	if d.Moved > 0 {
		note(EvidenceScreen)
	}
	slices.SortFunc(evidence, func(a, b string) int { return weight(a) - weight(b) })
	if len(evidence) == 0 || evidence[0] == EvidenceAmbient {
		return Unchanged, evidence
	}
	return Changed, evidence
}

func kindOfEvidence(n, target *Node) string {
	switch {
	case target != nil && n.within(target):
		return EvidenceTarget
	case n.ambient():
		return EvidenceAmbient
	case n.underKeyboard():
		return EvidenceFocus
	}
	return EvidenceScreen
}

func (n *Node) ambient() bool {
	for ; n != nil; n = n.parent {
		if kinds[n.Type].ambient {
			return true
		}
	}
	return false
}

func weight(evidence string) int {
	return strings.Index(EvidenceTarget+EvidenceScreen+EvidenceFocus+EvidenceAmbient, evidence)
}
