package quern

import (
	"path"
	"slices"
	"strings"

	"ios-agent/internal/telemetry/builds"
)

// warningGroup is a group of similar warnings.
type warningGroup struct {
	Message string   `json:"message"` // of the first warning
	Count   int      `json:"count"`
	Files   []string `json:"files"` // base names, at most five
}

// The limits of a group: the percentage of words that may differ, and the number of files that it names.
const (
	mostDiffering = 30
	mostFiles     = 5
)

// template is a group under construction. An empty word stands for any word.
type template struct {
	warningGroup
	words []string
	open  int // number of empty words
}

// groups collects warnings that have the same number of words and differ in few of them. Each warning joins the most similar group.
func groups(warnings []builds.Diagnostic) []warningGroup {
	var made []*template
	for _, w := range warnings {
		words := wordsOf(w.Message)
		best, fewest := -1, len(words)+1
		for i, t := range made {
			if n, fits := t.differing(words); fits && n < fewest {
				best, fewest = i, n
			}
		}
		if best < 0 {
			best = len(made)
			made = append(made, &template{warningGroup: warningGroup{Message: w.Message, Files: []string{}}, words: words})
		}
		made[best].join(w, words)
	}
	out := make([]warningGroup, len(made))
	for i, t := range made {
		out[i] = t.warningGroup
	}
	slices.SortStableFunc(out, func(a, b warningGroup) int { return b.Count - a.Count })
	return out
}

// differing counts the words that differ from the group's, and reports whether the warning may join the group.
func (t *template) differing(words []string) (n int, fits bool) {
	if len(words) != len(t.words) {
		return 0, false
	}
	for i, word := range words {
		if t.words[i] != "" && t.words[i] != word {
			n++
		}
	}
	return n, (t.open+n)*100 <= mostDiffering*len(words)
}

func (t *template) join(w builds.Diagnostic, words []string) {
	for i, word := range words {
		if t.words[i] != "" && t.words[i] != word {
			t.words[i] = ""
			t.open++
		}
	}
	t.Count++
	if name := path.Base(w.File); w.File != "" && len(t.Files) < mostFiles && !slices.Contains(t.Files, name) {
		t.Files = append(t.Files, name)
	}
}

// wordsOf splits at spaces; a text 'in quotes' is one word.
func wordsOf(message string) (words []string) {
	var word strings.Builder
	quoted := false
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range message {
		if r == '\'' { // the apostrophe of "isn't" does not begin a quotation
			quoted = !quoted && word.Len() == 0
		}
		if r == ' ' && !quoted {
			end()
			continue
		}
		word.WriteRune(r)
	}
	end()
	return words
}
