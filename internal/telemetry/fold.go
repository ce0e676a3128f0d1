package telemetry

import (
	"encoding/binary"
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

// appendSmall is appendFolded for bytes that are all ASCII, eight at a time. It reports whether they were.
func appendSmall(to, text []byte) ([]byte, bool) {
	const each = 0x0101010101010101
	at := len(to)
	to = append(to, text...)
	rest := to[at:]
	for ; len(rest) >= 8; rest = rest[8:] {
		w := binary.LittleEndian.Uint64(rest)
		if w&(0x80*each) != 0 {
			return to, false
		}
		capital := (w + (0x80-'A')*each) &^ (w + (0x80-'Z'-1)*each) & (0x80 * each) // bit 7 of each byte from A to Z
		binary.LittleEndian.PutUint64(rest, w|capital>>2)
	}
	for i, c := range rest {
		if c >= utf8.RuneSelf {
			return to, false
		}
		if 'A' <= c && c <= 'Z' {
			rest[i] = c + 'a' - 'A'
		}
	}
	return to, true
}

// contains reports whether a text has a part, which is folded, in any case.
func contains(text, folded string) bool {
	return folded == "" || strings.Contains(fold(text), folded)
}
