package telemetry

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold makes texts equal that differ only in case, as quern's lower() does: each letter becomes its small one, İ becomes i and a dot
// above it, both small sigmas are the same. ß is not ss. What is no UTF-8 stays as it is.
func fold(text string) string { return string(appendFolded(nil, text)) }

func appendFolded(to []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			to = append(to, c)
		case r == 'İ':
			to = append(to, "i̇"...)
		case r == 'ς':
			to = append(to, "σ"...)
		default:
			to = utf8.AppendRune(to, unicode.ToLower(r))
		}
		i += size
	}
	return to
}

// small has the small letter of each ASCII byte.
var small = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}()

// appendSmall is appendFolded for bytes that are all ASCII.
func appendSmall(to, text []byte) []byte {
	at := len(to)
	to = append(to, text...)
	for i, c := range to[at:] {
		to[at+i] = small[c]
	}
	return to
}

// contains reports whether a text has a part, which is folded, in any case.
func contains(text, folded string) bool {
	return folded == "" || strings.Contains(fold(text), folded)
}

func ascii(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
