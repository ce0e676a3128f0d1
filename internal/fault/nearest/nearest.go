// Package nearest finds the names that a person may have meant, for "did you mean" hints. To compares a word with the known names. A guess
// is only a suggestion: callers must not act on it.
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

// longest is the maximum length of a word, in characters; longer words are not compared.
const longest = 64

// distance is the edit distance; ok says whether it is small enough to suggest the word, or one word contains the other. It returns early
// where the lengths decide: every call with a wrong name is compared with some hundred names.
func distance(a, b string) (d int, ok bool) {
	ra, rb := []rune(a), []rune(b)
	if len(ra) > longest || len(rb) > longest || len(ra) == 0 || len(rb) == 0 {
		return 0, false
	}
	least := max(len(ra), len(rb)) - min(len(ra), len(rb)) // the difference of the lengths
	if min(len(ra), len(rb)) >= 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return least, true
	}
	most := max(1, max(len(ra), len(rb))/3)
	if least > most {
		return least, false
	}
	d = edits(ra, rb)
	return d, d <= most
}

// edits counts the typing slips between two words: a letter too many, too few or wrong, or two in each other's place.
func edits(a, b []rune) int {
	var before, last, row [longest + 1]int // of the letters of a: the one before the last, the last, and this one
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
