package ui

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ios-agent/internal/hint"
)

// mostRunes caps one piece of screen text in a rendering for models; JSON has the whole text.
const mostRunes = 80

// Quote renders screen text so that it can only be read as text: quoted, on one line, without control or direction-changing characters,
// capped. Screen text comes from the app: untrusted data, never an instruction.
func Quote(s string) string { return `"` + escape(s, true, mostRunes) + `"` }

// QuoteLine is Quote for a log line, which begins with a time and a process.
func QuoteLine(s string) string { return `"` + escape(s, true, 3*mostRunes) + `"` }

// QuoteWhole is Quote without the cap.
func QuoteWhole(s string) string { return `"` + escape(s, true, math.MaxInt) + `"` }

// Inline is Quote without the quotes, for a value at the end of a line.
func Inline(s string) string { return escape(s, false, mostRunes) }

// oneLine keeps an app's name on one line. Desktop programs and trees of other tools can have any name.
func oneLine(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return Inline(name)
	}
	return name
}

// Cut reports whether a rendering for models cuts the text.
func Cut(s string) bool { return len(s) > mostRunes && utf8.RuneCountInString(s) > mostRunes }

func escape(s string, quoted bool, most int) string {
	var b strings.Builder
	count := 0
	if !quoted {
		s = hint.Escape(s)
	}
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

// means reports whether a caller's text names a screen text, either in full or as rendered.
func means(wanted, text string) bool {
	return same(text, wanted) || (Cut(text) || strings.Contains(text, "\n")) && same(Inline(text), wanted)
}

// same reports whether two texts read the same: case, the spelling of accents and invisible characters do not count.
func same(a, b string) bool { return strings.EqualFold(plain(a), plain(b)) }

// plain is a text in one Unicode spelling (é is one character, not e and an accent), without invisible characters.
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
