// Package mark names what Virtual Xcode imitates and how sure we are of it.
//
// It holds only the type: each front end lists its own marks beside the code they speak of, and the
// documentation of what was verified is generated from those lists.
package mark

import "strings"

// Assumed is the Source of a behaviour nobody has recorded yet: best knowledge, to be checked on a Mac.
const Assumed = "assumed"

// Mark says where one imitated behaviour comes from.
type Mark struct {
	Tool      string // the tool imitated, such as "simctl"
	Behaviour string // one sentence
	Source    string // Assumed, or what Observed returned
}

// Observed is the Source of a behaviour seen in a recorded sample, named by its path below the samples' folder.
func Observed(sample string) string { return "observed:" + sample }

// Sample is the recorded sample m was observed in, and whether there is one.
func (m Mark) Sample() (string, bool) { return strings.CutPrefix(m.Source, "observed:") }
