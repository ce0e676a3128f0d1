package linetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Template is a message without its variable parts: ids become <UUID>, 0x and hex digits <HEX>, IPv4 addresses <IP>, and digits without
// adjacent letters <N>. Several numbers with only commas, dots and spaces between them become one mark.
func Template(message string) string {
	out := make([]byte, 0, len(message))
	numbered := -1 // where the output ends with a number and separators
	for i := 0; i < len(message); {
		mark, n := variable(message, i)
		if mark == "<N>" && numbered >= 0 && numbered < len(out) {
			out = out[:numbered]
			i += n
			continue
		}
		if mark != "" {
			out = append(out, mark...)
			i += n
			numbered = -1
			if mark == "<N>" {
				numbered = len(out)
			}
			continue
		}
		if !strings.ContainsRune(",. ", rune(message[i])) {
			numbered = -1
		}
		out = append(out, message[i:i+n]...)
		i += n
	}
	return string(out)
}

// variable gives the mark for the text at a place, and the length of the text. Without a mark, n bytes are copied.
func variable(text string, at int) (mark string, n int) {
	c := text[at]
	if !hexDigit(c) {
		_, n := utf8.DecodeRuneInString(text[at:])
		return "", n
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	rest := text[at:]
	if !wordRune(before) || at == 0 {
		if isUUID(rest) {
			return "<UUID>", uuidLength
		}
		if n := hexLength(rest); n > 0 {
			return "<HEX>", n
		}
		if n := addressLength(rest); n > 0 {
			return "<IP>", n
		}
	}
	if !digit(c) {
		return "", 1
	}
	n = digits(rest)
	if n < len(rest) && rest[n] == '.' && digits(rest[n+1:]) > 0 {
		n += 1 + digits(rest[n+1:])
	}
	after, _ := utf8.DecodeRuneInString(rest[n:])
	if at > 0 && unicode.IsLetter(before) || n < len(rest) && unicode.IsLetter(after) {
		return "", n
	}
	return "<N>", n
}

const uuidLength = 36

func isUUID(text string) bool {
	if len(text) < uuidLength || len(text) > uuidLength && wordByte(text[uuidLength]) {
		return false
	}
	for i := range uuidLength {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (text[i] == '-') || !dash && !hexDigit(text[i]) {
			return false
		}
	}
	return true
}

func hexLength(text string) int {
	if !strings.HasPrefix(text, "0x") {
		return 0
	}
	n := 2
	for n < len(text) && hexDigit(text[n]) {
		n++
	}
	if n == 2 || n < len(text) && wordByte(text[n]) {
		return 0
	}
	return n
}

// addressLength is the length of the IPv4 address with its port at the start of a text; 0 without one.
func addressLength(text string) int {
	n := 0
	for part := range 4 {
		if part > 0 {
			if n >= len(text) || text[n] != '.' {
				return 0
			}
			n++
		}
		d := digits(text[n:])
		if d == 0 || d > 3 {
			return 0
		}
		n += d
	}
	if n+1 < len(text) && text[n] == ':' && digits(text[n+1:]) > 0 {
		n += 1 + digits(text[n+1:])
	}
	if n < len(text) && wordByte(text[n]) {
		return 0
	}
	return n
}

func digits(text string) int {
	n := 0
	for n < len(text) && digit(text[n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func wordByte(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
