// Package mark names the behaviours that Virtual Xcode imitates, and the source of each.
//
// A Mark is one behaviour. Each front end lists its own marks beside the code that imitates the behaviour; docs/verified.md is
// generated from these lists and from Risks. The package holds only types and the table of risks.
package mark

import "strings"

// Assumed is the Source of a behaviour without a recording: best knowledge, to be checked on a Mac.
const Assumed = "assumed"

// Mark is one imitated behaviour and its source.
type Mark struct {
	Tool      string // the imitated tool, such as "simctl"
	Behaviour string // one sentence
	Source    string // Assumed, or a result of Observed
}

// Observed is the Source of a behaviour in a recorded sample. The sample is named by its path below the samples' folder.
func Observed(sample string) string { return "observed:" + sample }

// Sample returns the recorded sample of m, and whether m has one.
func (m Mark) Sample() (string, bool) { return strings.CutPrefix(m.Source, "observed:") }
