package op

import (
	"strings"
	"unicode"
)

// legible is an answer whose texts can be shown on a terminal, whatever the caller or an app put into them: no control character
// but a line break and a tab, and none that turns the direction of a line. JSON keeps what it was given.
func legible(e Envelope) Envelope {
	e.Stdout = Legible(e.Stdout)
	if e.Error != nil {
		f := *e.Error
		f.Message, f.Hint = Legible(f.Message), Legible(f.Hint)
		e.Error = &f
	}
	return e
}

// Legible is a text that can be shown on a terminal.
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
	turns := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	return turns || unicode.IsControl(r) && r != '\n' && r != '\t'
}
