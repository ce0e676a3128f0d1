package flaw

import (
	"strings"
	"unicode"
)

// Typed returns the characters that arrive when a text is typed key by key.
func (f Flaws) Typed(text string) []rune {
	if f == nil {
		return []rune(text)
	}
	if f.Happens(NoOpType) {
		return nil
	}
	if f.Happens(Autocorrect) {
		text = autocorrected(text)
	}
	keys := []rune(text)
	if wrong, yes := f(WrongLayout); yes {
		keys = relaid(keys, wrong.Word("layout"))
	}
	if f.Happens(UnicodeLost) {
		keys = repeated(keys, func(_ int, r rune) int { return times(r < unicode.MaxASCII) })
	}
	if drop, yes := f(DroppedCharacters); yes {
		keys = repeated(keys, func(i int, _ rune) int { return times(!drop.chosen(i)) })
	}
	if double, yes := f(DoubledCharacters); yes {
		keys = repeated(keys, func(i int, _ rune) int { return 1 + times(double.chosen(i)) })
	}
	return keys
}

// chosen reports whether the fault concerns the i-th character.
func (h Hit) chosen(i int) bool {
	n := i - h.Int("after") + 1
	return n > 0 && n%h.Int("every") == 0
}

func times(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// repeated returns each key as many times as count says.
func repeated(keys []rune, count func(int, rune) int) (out []rune) {
	for i, r := range keys {
		for range count(i, r) {
			out = append(out, r)
		}
	}
	return out
}

// layouts maps a keyboard layout to pairs: the character on a US keyboard, and the character that its key types instead.
func layouts() map[string]string {
	return map[string]string{
		"uk":     `@" "@ #£ ~¬ |~`,
		"azerty": `qa aq wz zw QA AQ WZ ZW m, ;m MM :M @2 #3 1& 2é 3" 4' 5( 7è 9ç 0à -)`,
		"qwertz": `yz zy YZ ZY @" -ß ;ö 'ä [ü #§ &/ *( ()  )= _? :Ö "Ä`,
	}
}

func relaid(keys []rune, layout string) (out []rune) {
	makes := map[rune]rune{}
	for _, pair := range strings.Fields(layouts()[layout]) {
		if r := []rune(pair); len(r) == 2 {
			makes[r[0]] = r[1]
		}
	}
	for _, r := range keys {
		if other, differs := makes[r]; differs {
			r = other
		}
		out = append(out, r)
	}
	return out
}

// corrections are the keyboard's replacements for misspelt words.
func corrections() map[string]string {
	return map[string]string{"teh": "the", "dont": "don’t", "im": "I’m", "i": "I", "ios": "iOS", "adress": "address", "recieve": "receive"}
}

// Smart replaces plain quotes and dashes by typographic ones, as the keyboard does.
func Smart(keys []rune, quotes, dashes bool) []rune {
	text := string(keys)
	if dashes {
		text = strings.ReplaceAll(text, "--", "—")
	}
	if quotes {
		text = strings.ReplaceAll(text, "'", "’")
	}
	for i := 0; quotes && strings.Contains(text, `"`); i++ {
		text = strings.Replace(text, `"`, []string{"“", "”"}[i%2], 1)
	}
	return []rune(text)
}

// autocorrected is a text after autocorrection: a capital at the beginning, smart punctuation, corrected words.
func autocorrected(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		if better, ok := corrections()[w]; ok {
			words[i] = better
		}
	}
	text = strings.ReplaceAll(strings.Join(words, " "), "...", "…")
	first := Smart([]rune(text), true, true)
	if len(first) > 0 {
		first[0] = unicode.ToUpper(first[0])
	}
	return string(first)
}
