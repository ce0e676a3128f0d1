// Package oneline makes texts of other programs harmless inside texts of ios-agent. A name from a program, a server or an app may contain
// line breaks, and would then write lines that look like ios-agent's. Head, Under and Beside place such a text; Draw does so for a whole
// value.
package oneline

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/hint"
)

// Of returns a text on one line: a line break becomes \n, as in a quotation. A text without line breaks stays as it is.
func Of(text string) string {
	return strings.ReplaceAll(outside(text), "\n", broken)
}

// Head returns a text of another program for the beginning of a line. It quotes a text that would look like a line of ios-agent's, which
// begins with a word and a colon, or with a sign.
func Head(text string) string {
	text = Of(text)
	label, _, labelled := strings.Cut(text+" ", ": ")
	first, _ := utf8.DecodeRuneInString(text)
	usual := unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("/._\"", first)
	if text == "" || usual && !(labelled && words(label)) {
		return text
	}
	return strconv.Quote(text)
}

// words reports whether a text consists of letters, as labels do, unlike a path or the name of a host.
func words(label string) bool {
	return !strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(" -_", r) })
}

// broken replaces a line break in a text on one line.
const broken = `\n`

// margin is in front of each line of another program.
const margin = "| "

// Under puts lines of another program behind a margin, below a line of ios-agent, so that they cannot look like ios-agent's.
func Under(text string) string {
	return margin + strings.ReplaceAll(strings.TrimRight(outside(text), "\n"), "\n", "\n"+margin)
}

// Beside returns a text of another program for a place within a line of ios-agent: its further lines are behind a margin.
func Beside(text string) string {
	first, rest, more := strings.Cut(strings.TrimRight(Legible(text), "\n"), "\n")
	if !more {
		return first
	}
	return first + "\n" + Under(rest)
}

// outside is a text of another program: legible, and without facts.
func outside(text string) string { return hint.Escape(Legible(text)) }

// Legible is a text that a terminal can show: without control characters except line break and tab, without other line separators, and
// without characters that turn the direction of a line.
func Legible(text string) string {
	if !strings.ContainsFunc(text, illegible) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if illegible(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

func illegible(r rune) bool {
	breaks := r == '\u2028' || r == '\u2029'
	turns := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	return breaks || turns || unicode.IsControl(r) && r != '\n' && r != '\t'
}
