// Package audit judges how well a screen can be driven: whether its elements have stable identifiers, names, a place and a size. A Journey
// looks at screens one after the other; each Screen has Findings with a Fix, and Report adds them up. The package is pure: it gets screens
// and returns findings.
package audit

import "ios-agent/internal/ui"

// Severity is how much a finding matters, in SARIF's words.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // the element cannot be named or reached for certain
	Warning Severity = "warning" // works today, but breaks when its text or its neighbours change
	Note    Severity = "note"    // costs people or agents effort
)

// cost is the share of an element's worth that its worst finding removes.
func (s Severity) cost() float64 {
	return map[Severity]float64{Error: 1, Warning: 0.5, Note: 0.1}[s]
}

// rank orders severities, the worst first.
func (s Severity) rank() int { return map[Severity]int{Error: 0, Warning: 1, Note: 2}[s] }

// Rule is one criterion for screens.
type Rule struct {
	ID    string
	Title string   // the problem, without a full stop
	Why   string   // the consequence
	Usual Severity // the severity of most of its findings

	judge func(*look) []Finding
}

// Rules are all rules, in the order of their findings in a report.
func Rules() []Rule {
	return []Rule{
		{"missing-label", "A control or image without a label",
			"VoiceOver has nothing to say, and an agent cannot know its purpose.", Error, (*look).missingLabels},
		{"duplicate-identifier", "Several elements with one identifier",
			"A tap by the identifier means several elements; a list needs a key in it.", Error, (*look).duplicateIdentifiers},
		{"missing-identifier", "An element without an identifier",
			"Only its text identifies it, and texts are translated and edited.", Warning, (*look).missingIdentifiers},
		{"changing-identifier", "An identifier that changes with the content",
			"A number, a date, a price or the text itself is in it: tomorrow it may name another element.", Warning,
			(*look).changingIdentifiers},
		{"changing-name", "A name that changes with the content, and no identifier",
			"Only the name identifies the element, and it contains a number, a date or a price.", Note, (*look).changingNames},
		{"duplicate-name", "Several elements to tap with one name",
			"Neither a person who hears them nor an agent can tell them apart.", Note, (*look).duplicateNames},
		{"overlap", "An element under another one, which takes its touches",
			"A touch on it may press the other element.", Note, (*look).overlaps},
		{"off-container", "An element outside its container or the screen",
			"iOS gives no touch to what lies outside its container.", Warning, (*look).strays},
		{"small-target", "A target smaller than 44 by 44 points",
			"Fingers miss it; Apple's guidelines ask for 44 points.", Note, (*look).smallTargets},
		{"reading-order", "Elements whose reading order differs from their layout",
			"VoiceOver and agents read a screen in the order of its elements, which jumps back here.", Note, (*look).readingOrder},
	}
}

// Finding is one problem of one element.
type Finding struct {
	Rule        string   `json:"rule"`
	Severity    Severity `json:"severity"`
	Ref         string   `json:"ref,omitempty"`
	Type        string   `json:"type"`
	Identifier  string   `json:"identifier"`
	Label       string   `json:"label"`
	Frame       ui.Rect  `json:"frame"`
	Message     string   `json:"message"`
	Fix         Fix      `json:"fix"`
	Fingerprint string   `json:"fingerprint"` // the same on every look, while the element keeps its name
	State       State    `json:"state,omitempty"`

	node *ui.Node
}

// State is the baseline's state of a finding; empty without a baseline.
type State string

// The states.
const (
	New   State = "new"
	Known State = "known"
)

// Fix makes a finding go away: in words, as a line of Swift, and as the facts that hold afterwards.
type Fix struct {
	Say        string   `json:"say"`
	Swift      string   `json:"swift,omitempty"`
	Identifier string   `json:"identifier,omitempty"`
	Label      string   `json:"label,omitempty"`
	Frame      *ui.Rect `json:"frame,omitempty"`

	order []*ui.Node // the element's siblings in the right reading order
}

// found creates a finding about an element.
func (l *look) found(rule string, s Severity, n *ui.Node, message string, fix Fix) Finding {
	return Finding{
		Rule: rule, Severity: s, Type: n.Type, Identifier: n.Identifier, Label: n.Label, Frame: n.Frame, Message: message, Fix: fix, node: n,
	}
}
