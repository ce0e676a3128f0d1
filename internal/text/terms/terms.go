// Package terms splits texts into search terms: lower case, without endings and without words such as "the". Of returns the terms of a
// text, Synonyms the terms with the same meaning, and Common says whether a term is too frequent to distinguish texts. It knows English
// only.
package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// mostText is the maximum number of bytes that Of reads of a text.
const mostText = 2000

// Of returns the terms of a text, in its order; a name such as start_sim_log_cap has four.
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

// empty are words that occur in every text, and the parts of words such as don't and it's.
var empty = strings.Fields("a " +
	"about also am an and any are aren as at be been but by can cannot correctly could couldn d did didn do does doesn don " +
	"for from had has have how i if in into is isn it its just ll m me my not of on or our out please properly re really " +
	"right s should so some t than that the their them then there these they this those to up use used uses using ve very " +
	"want was wasn we were what when where which while why will with without won would you your")

// stem removes the usual English endings, so that swipe, swipes, swiped and swiping become one term.
func stem(word string) string {
	for _, ending := range [...]struct {
		text, then string
		least      int // minimum number of letters that remain
	}{
		{"ies", "y", 2}, {"ions", "", 4}, {"ors", "", 5}, {"ers", "", 4}, {"ing", "", 3}, {"ion", "", 4}, {"ed", "", 3}, {"es", "", 3},
		{"or", "", 5}, {"er", "", 4}, {"s", "", 2},
	} {
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

// Common reports whether a term is frequent in all questions about apps and devices. Every number counts as common.
func Common(term string) bool { return common()[term] || strings.Trim(term, "0123456789") == "" }

var common = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, term := range Of("app application device phone iphone ipad simulator screen ios apple xcode program tool command page view now " +
		"current need new way make made get set thing something again see show tell find give let look much many only " +
		"one two three several same time user list all every") {
		all[term] = true
	}
	return all
})

// Synonyms returns the terms with the same meaning in texts about apps and devices.
func Synonyms(term string) []string {
	var all []string
	for _, same := range synonyms {
		if known := Of(same); slices.Contains(known, term) {
			all = append(all, known...)
		}
	}
	return slices.DeleteFunc(all, func(other string) bool { return other == term })
}

// synonyms are sets of words with the same meaning.
var synonyms = []string{
	"log logs console output print oslog",
	"crash crashed ended died exit quit terminated killed dies",
	"picture screenshot image photo",
	"video record film movie recording",
	"simulator sim emulator",
	"physical hardware real tethered",
	"text label content string",
	"read inspect display",
	"type enter write input fill insert",
	"tap click press touch hit",
	"swipe scroll flick drag",
	"start launch open run begin",
	"stop end terminate kill close quit",
	"delete remove erase uninstall clear reset wipe nuke purge",
	"location gps coordinates position",
	"dark light appearance theme",
	"permission grant privacy allow access authorize",
	"wait until poll",
	"notification push",
	"clipboard pasteboard paste copy",
	"alert dialog popup prompt",
	"diagnose doctor check health",
	"hierarchy tree elements outline snapshot describe",
	"rotate orientation landscape portrait",
	"claim lease reserve lock book",
	"request http api network traffic",
	"request call",
	"slow delay latency throttle lag",
	"mock stub fake",
	"response answer reply body",
	"error failure fail broken problem wrong issue",
	"test tests unit xctest",
	"build built compile",
	"language locale localization",
	"variable value",
	"backtrace stack trace",
	"switch toggle",
	"free available idle unused",
	"send sent deliver",
	"deep link url",
	"zoom pinch magnify",
	"certificate ssl tls https",
	"phone device handset",
	"save export write download",
	"repeat replay resend retry",
	"slider knob",
	"hang freeze freezes froze frozen stuck unresponsive",
	"pause suspend halt interrupt",
	"continue resume proceed unpause",
	"hide hidden hid",
	"hold held",
	"choose chose chosen pick select",
	"take took taken",
	"modify change edit alter tweak rewrite",
	"vanish disappear gone",
	"appear visible shown displayed",
	"spinner loader loading",
	"field textfield box",
	"folder directory",
	"fetch download retrieve pull",
	"summary summarize overview digest statistics",
	"history previous earlier past",
	"package spm swiftpm",
	"mac macos",
	"offline airplane disconnected",
	"several multiple many",
	"accessibility a11y",
	"certificate cert",
}
