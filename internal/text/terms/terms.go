// Package terms reads texts as the words that one searches by: without case, endings and words that mean nothing.
package terms

import (
	"slices"
	"strings"
	"unicode"
)

// mostText bounds what is read of a text that somebody wrote.
const mostText = 2000

// Of are the terms of a text, in its order; a name such as start_sim_log_cap is four.
func Of(text string) []string {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "")
	}
	var all []string
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), between) {
		if !slices.Contains(empty, word) {
			all = append(all, stem(word))
		}
	}
	return all
}

// empty are the words that every text has.
var empty = strings.Fields("a an and are as at be by can do does for from how i in is it its me my of on or our so some that the " +
	"their then there this to use want was we what when where which while why with without you your")

// stem takes the usual endings of English away, so that swipe, swipes, swiped and swiping are one.
func stem(word string) string {
	for _, ending := range [...]struct {
		text, then string
		least      int // letters that stay
	}{{"ies", "y", 2}, {"ing", "", 3}, {"ed", "", 3}, {"es", "", 3}, {"s", "", 2}} {
		begin, is := strings.CutSuffix(word, ending.text)
		if is && len(begin) >= ending.least && !strings.HasSuffix(word, "ss") {
			word = begin + ending.then
			break
		}
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] {
		word = word[:n-1]
	}
	return word
}

// Synonyms are the terms that mean the same as this one where apps and devices are talked of.
func Synonyms(term string) []string {
	var all []string
	for _, same := range synonyms {
		if known := Of(same); slices.Contains(known, term) {
			all = append(all, known...)
		}
	}
	return slices.DeleteFunc(all, func(other string) bool { return other == term })
}

// synonyms are sets of words.
var synonyms = []string{
	"log logs console output print oslog",
	"crash crashed ended died exit quit terminated killed",
	"picture screenshot image photo",
	"video record film movie",
	"simulator sim emulator",
	"physical hardware real",
	"text label content string",
	"read get show see inspect",
	"type enter write input fill",
	"tap click press touch",
	"swipe scroll flick drag",
	"start launch open run begin",
	"stop end terminate kill close quit",
	"delete remove erase uninstall clear reset",
	"location gps coordinates",
	"dark light appearance theme",
	"permission grant privacy allow",
	"wait until poll",
	"notification push",
	"clipboard pasteboard paste copy",
	"alert dialog popup",
	"diagnose doctor check health",
	"hierarchy tree elements outline snapshot describe",
	"rotate orientation landscape portrait",
	"claim lease reserve lock",
}
