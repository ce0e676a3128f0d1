// Package linetext searches and groups the messages of log lines. Fold makes case-insensitive forms, Found searches many messages at once,
// Sieve excludes blocks, and Template finds the common form of similar messages. It has no store.
package linetext

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Fold makes texts equal that differ only in case, as quern's lower() does: each letter becomes lower case, İ becomes i with a dot
// above, and both small sigmas become equal. ß is not ss. Invalid UTF-8 stays unchanged.
func Fold(text string) string { return string(AppendFolded(nil, text)) }

func AppendFolded(to []byte, text string) []byte {
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

// AppendSmall is AppendFolded for ASCII, eight bytes at a time. It reports whether all bytes were ASCII.
func AppendSmall(to, text []byte) ([]byte, bool) {
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

// Found gives the indexes of messages with a folded, non-empty text. It searches all messages in one pass: a match counts if it lies
// within one message.
func Found(to []int, needle, folded []byte, ends []int) []int {
	for i, from := 0, 0; i < len(ends); {
		at := Index(folded[from:], needle)
		if at < 0 {
			break
		}
		at += from
		for ends[i] <= at {
			i++
		}
		if at+len(needle) <= ends[i] {
			to = append(to, i)
			from = ends[i]
			i++
		} else {
			from = at + 1
		}
	}
	return to
}

// Index is bytes.Index, but faster where every byte is frequent, as digits in ids are: it checks the first three bytes at eight places
// at once.
func Index(text, needle []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	if len(needle) < 3 {
		return bytes.Index(text, needle)
	}
	a, b, c := each*uint64(needle[0]), each*uint64(needle[1]), each*uint64(needle[2])
	at := 0
	for rest := text; len(rest) >= 10; rest, at = rest[8:], at+8 {
		differs := binary.LittleEndian.Uint64(rest) ^ a | binary.LittleEndian.Uint64(rest[1:]) ^ b | binary.LittleEndian.Uint64(rest[2:]) ^ c
		for same := (differs - each) &^ differs & high; same != 0; same &= same - 1 { // zero bytes, and possibly some above them
			if i := bits.TrailingZeros64(same) / 8; bytes.HasPrefix(rest[i:], needle) {
				return at + i
			}
		}
	}
	if last := bytes.Index(text[at:], needle); last >= 0 {
		return at + last
	}
	return -1
}
