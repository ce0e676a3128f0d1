package main

import (
	"fmt"
	"strings"
)

// seed is one of the documents that this product began with, fact by fact, and how many of its facts have to work: the others depart on
// purpose, or await a change.
type seed struct {
	id, name string
	least    int
	rows     []row
}

// row is a fact of a seed in our own words. Tests prove that it works; a deliberate departure has its reason, and the place where users
// of the seed can read about it; a row that awaits another change names it.
type row struct {
	fact    string
	proofs  []string // PACKAGE:TestName or PACKAGE:TestName/part, by the short names of packages
	departs string
	doc     string // the document about the departure, and words in it
	words   string
	awaits  string
}

// works is a row that tests prove.
func works(fact string, proofs ...string) row { return row{fact: fact, proofs: proofs} }

// departs is a row that differs here, with the reason and the place in the documents.
func departs(fact, why, doc, words string) row {
	return row{fact: fact, departs: why, doc: doc, words: words}
}

// awaits is a row that another change mends, with the tests that come with it. Where they are there and pass, the row works.
func awaits(fact, what string, proofs ...string) row {
	return row{fact: fact, awaits: what, proofs: proofs}
}

// state is what became of a row.
type state string

const (
	stateWorks   state = "works"
	stateDeparts state = "departs on purpose"
	stateDiffers state = "differs"
	stateMissing state = "missing"
)

// judge says what a row is, and why, by what became of its proofs; a proof that is not in the map was not run.
func (r row) judge(passed map[string]bool) (state, string) {
	switch {
	case r.departs != "":
		return stateDeparts, r.departs + " (" + r.doc + ")"
	case len(r.proofs) == 0:
		return stateMissing, "awaits " + r.awaits
	}
	for _, p := range r.proofs {
		if ok, ran := passed[p]; !ok && r.awaits != "" {
			return stateMissing, "awaits " + r.awaits
		} else if !ran {
			return stateDiffers, p + " was not run"
		} else if !ok {
			return stateDiffers, p + " fails"
		}
	}
	return stateWorks, strings.Join(r.proofs, " ")
}

// seeds are all of them. 001 has a document and a test of its own.
func seeds() []seed {
	return []seed{
		{"000", "quern", 103, quern()},
		{"002", "strobe", 62, strobe()},
		{"003", "the specification", 81, specification()},
		{"004", "the agent", 61, agent()},
	}
}

// report is the table of a seed, and whether enough of it works.
func (s seed) report(passed map[string]bool) (text string, enough bool) {
	var out strings.Builder
	counts := map[state]int{}
	for i, r := range s.rows {
		is, why := r.judge(passed)
		counts[is]++
		fmt.Fprintf(&out, "%s.%02d  %-18s  %s: %s\n", s.id, i+1, is, r.fact, why)
	}
	fmt.Fprintf(&out, "%s %s: %d of %d work (at least %d), %d depart on purpose, %d differ, %d are missing\n", s.id, s.name,
		counts[stateWorks], len(s.rows), s.least, counts[stateDeparts], counts[stateDiffers], counts[stateMissing])
	return out.String(), counts[stateWorks] >= s.least
}
