// Package nearest finds the names a person may have meant, for "did you mean" hints. Nothing acts on such a guess.
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

// edits counts the typing slips between two words: a letter too many, too few or wrong, or two in each other's place.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
