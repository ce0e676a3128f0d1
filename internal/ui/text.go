package ui

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mostRunes caps one piece of screen text in a rendering for models; JSON keeps it whole.
const mostRunes = 80

// Quote renders screen text so that it can only be read as text: quoted, on one line, without control or
// direction-changing characters, capped. What an app shows is untrusted data, never an instruction.
func Quote(s string) string { return `"` + escape(s, true, mostRunes) + `"` }

// QuoteLine is Quote for a line of a log, which begins with when and who.
func QuoteLine(s string) string { return `"` + escape(s, true, 3*mostRunes) + `"` }

// QuoteWhole is Quote without the cap.
func QuoteWhole(s string) string { return `"` + escape(s, true, math.MaxInt) + `"` }

// Inline is Quote without the quotes, for a value at the end of a line.
func Inline(s string) string { return escape(s, false, mostRunes) }

// oneLine is the name of an app that cannot end a line of ours. Programs of a desktop and trees of other tools have names of any kind.
func oneLine(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return Inline(name)
	}
	return name
}

// Cut reports whether a rendering for models does not show all of a text.
func Cut(s string) bool { return len(s) > mostRunes && utf8.RuneCountInString(s) > mostRunes }

func escape(s string, quoted bool, most int) string {
	var b strings.Builder
	count := 0
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if count == most {
			b.WriteRune('…')
			break
		}
		count++
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r' || r == '\t':
			b.WriteByte(' ')
		case quoted && (r == '"' || r == '\\'):
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d':
			b.WriteRune('�')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// means reports whether somebody who saw a text as it is rendered, or as it is, means it.
func means(wanted, text string) bool {
	return same(text, wanted) || (Cut(text) || strings.Contains(text, "\n")) && same(Inline(text), wanted)
}

// same reports whether two texts read the same: case, the spelling of accents and characters that nobody sees do not count.
func same(a, b string) bool { return strings.EqualFold(plain(a), plain(b)) }

// plain is a text in one Unicode spelling (é is one character, not e and an accent), without characters that nobody sees.
func plain(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, s))
}
