// Package words splits a line into words as a shell does: with quotes and backslashes, but without variables, patterns or commands. Split
// is its only function. The package must not run a shell, so that a line of a caller cannot do more than name words.
package words

import "strings"

// Split returns the words of a line. Blanks separate words, quotes of either kind keep blanks in a word, and a backslash keeps the next
// character as it is (in single quotes it is a plain backslash). whole is false when the line ends inside a quotation or after a backslash.
func Split(line string) (words []string, whole bool) {
	var word strings.Builder
	inside, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inside = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inside {
				words, inside = append(words, word.String()), false
				word.Reset()
			}
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words, quote == 0 && !escaped
}
