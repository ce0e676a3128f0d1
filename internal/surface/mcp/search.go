package mcp

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/text/terms"
)

// The weight of a term depends on its place in an operation.
const (
	inName    = 6
	inAsked   = 5 // in a phrase of users
	inSummary = 3
	inGroup   = 2
	inHelp    = 2 // also for the values of an input
	inInputs  = 1

	asSynonym = 1. / 3
	asNoun    = 1. / 5 // of a word that is common in questions of any subject
	elsewhere = 0.75   // for an operation of another family: core operations come first

	leastSlip = 5 // least number of letters of a term with a typing slip: shorter terms resemble too many others

	leastScore = 0.1 // share of the best score; lower scores are accidental
)

// index holds the operations for searching.
type index struct {
	all     int
	known   map[string]float64 // the number of operations with each term
	entries []entry
}

// entry is a searchable operation.
type entry struct {
	op      op.Op
	terms   map[string]float64
	phrases [][]string
}

// newIndex reads the operations once: reading takes longer than ranking. Streams are left out, and so are other families' copies of core
// operations.
func newIndex(ops []op.Op) *index {
	x := &index{all: len(ops), known: map[string]float64{}}
	ours := map[string]bool{}
	for _, o := range ops {
		ours[o.Name] = ours[o.Name] || o.Family == op.Core
	}
	for _, o := range ops {
		e := entry{op: o, terms: termsOf(o)}
		for term := range e.terms {
			x.known[term]++
		}
		if o.Streams() || o.Family != op.Core && ours[cmp.Or(o.Twin, o.Name)] {
			continue
		}
		for phrase := range strings.SplitSeq(o.Asked, ";") {
			e.phrases = append(e.phrases, terms.Of(phrase))
		}
		x.entries = append(x.entries, e)
	}
	return x
}

// search ranks operations by the query's terms that they contain, rare terms first. A known phrase of users inside the query counts extra.
func (x *index) search(query string) []op.Op {
	wanted := x.wantedBy(query)
	type hit struct {
		op    op.Op
		score float64
	}
	var hits []hit
	for _, e := range x.entries {
		if score := x.score(e, wanted); score > 0 {
			hits = append(hits, hit{e.op, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []op.Op
	for _, h := range hits[:min(mostFound, len(hits))] {
		if h.score >= hits[0].score*leastScore {
			found = append(found, h.op)
		}
	}
	return found
}

// wantedBy are the terms of a query with their weights.
func (x *index) wantedBy(query string) map[string]float64 {
	wanted := map[string]float64{}
	for _, term := range terms.Of(spelledOut(query)) {
		weight := 1.
		term = cmp.Or(x.meant(term), term)
		if terms.Common(term) {
			weight = asNoun
		}
		wanted[term] = max(wanted[term], weight)
		for _, same := range terms.Synonyms(term) {
			wanted[same] = max(wanted[same], weight*asSynonym)
		}
	}
	return wanted
}

var placeIn = lazyregexp.New(`\w+\.(swift|m|mm|c|cc|cpp|h):\d+`)

// spelledOut splits joined words of programmers, such as scrollUntilVisible and DerivedData, and replaces a place in a source file by the
// word line.
func spelledOut(query string) string {
	var apart strings.Builder
	last := ' '
	for _, r := range query {
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			apart.WriteByte(' ')
		}
		apart.WriteRune(r)
		last = r
	}
	if apart.Len() > len(query) {
		query += " " + apart.String()
	}
	if placeIn.MatchString(query) {
		query += " line"
	}
	return query
}

// meant is the known term that an unknown term probably stands for; empty if none. People rarely mistype a first letter.
func (x *index) meant(term string) string {
	if x.known[term] > 0 || len(term) < leastSlip {
		return ""
	}
	var like []string
	for other := range x.known {
		if len(other) >= leastSlip && other[0] == term[0] && len(other)-len(term) <= 1 && len(term)-len(other) <= 1 {
			like = append(like, other)
		}
	}
	slices.Sort(like)
	return strings.Join(nearest.To(term, like, 1), "")
}

// score is the relevance of an operation for the wanted terms.
func (x *index) score(e entry, wanted map[string]float64) float64 {
	score, best := 0., 0.
	for term, weight := range wanted {
		score += weight * e.terms[term] * x.rare(term)
	}
	for _, phrase := range e.phrases {
		best = max(best, x.whole(phrase, wanted))
	}
	if score += best; e.op.Family != op.Core {
		score *= elsewhere
	}
	return score
}

// whole is the extra score if all words of a phrase are in the query: higher for more and rarer words; 0 if a word is missing.
func (x *index) whole(phrase []string, wanted map[string]float64) (score float64) {
	for _, term := range phrase {
		weight := wanted[term]
		if weight == 0 && !terms.Common(term) {
			return 0
		}
		score += inAsked * weight * x.rare(term)
	}
	return score
}

// rare is the weight of a term: high if few operations have it.
func (x *index) rare(term string) float64 { return math.Log(1 + float64(x.all)/max(x.known[term], 1)) }

// termsOf are the terms of an operation, each with the weight of its best place.
func termsOf(o op.Op) map[string]float64 {
	all := map[string]float64{}
	for _, part := range []struct {
		text   string
		weight float64
	}{
		{o.Name, inName}, {o.Verb, inName}, {o.Asked, inAsked}, {o.Summary, inSummary},
		{strings.Join(o.Groups, " ") + " " + o.Family, inGroup}, {hint.Plain(o.Help), inHelp}, {strings.Join(o.Examples, " "), inHelp},
	} {
		for _, term := range terms.Of(part.text) {
			all[term] = max(all[term], part.weight)
		}
	}
	for _, f := range o.Fields() {
		for _, term := range terms.Of(f.Name + " " + f.Doc) {
			all[term] = max(all[term], inInputs)
		}
		for _, term := range terms.Of(strings.Join(f.Enum, " ")) {
			all[term] = max(all[term], inHelp)
		}
	}
	return all
}
