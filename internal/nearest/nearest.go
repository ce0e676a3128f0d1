// Package nearest finds the names a person may have meant: for "did you mean" hints, never for guessing on their behalf.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// To gives up to n of the names that are close to word, nearest first: a few typing slips apart, or one containing
// the other. Case is ignored.
func To(word string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	w := strings.ToLower(word)
	for _, name := range names {
		if d, ok := distance(w, strings.ToLower(name)); ok {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// distance is the edit distance, or the length difference when one word contains the other; ok says whether that is
// near enough to be worth naming.
func distance(a, b string) (d int, ok bool) {
	ra, rb := []rune(a), []rune(b)
	if len(ra) > 64 || len(rb) > 64 || len(ra) == 0 || len(rb) == 0 {
		return 0, false
	}
	d = edits(ra, rb)
	if min(len(ra), len(rb)) >= 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return min(d, max(len(ra), len(rb))-min(len(ra), len(rb))), true
	}
	return d, d <= max(1, max(len(ra), len(rb))/3)
}

// edits is the Levenshtein distance.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
