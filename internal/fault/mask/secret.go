package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secret is one text to hide.
type secret struct {
	value string
	shown string
	runes []rune
	forms []string // the ways in which programs write the value; see Forms
	first *[256]bool
}

func newSecret(value, shown string) secret {
	s := secret{value: value, shown: shown, runes: []rune(value), forms: Forms(value), first: &[256]bool{'\\': true, '%': true, '$': true}}
	for _, form := range s.forms {
		if form != "" {
			s.first[form[0]] = true
		}
	}
	if len(s.runes) > 0 {
		s.begins(s.runes[0])
	}
	return s
}

// begins records the bytes with which the first character may be spelled. Most of a text cannot begin a secret, and hide skips it quickly.
func (s secret) begins(r rune) {
	for other := unicode.SimpleFold(r); ; other = unicode.SimpleFold(other) {
		s.first[utf8.AppendRune(nil, other)[0]] = true
		if other == r {
			break
		}
	}
	if unicode.IsSpace(r) {
		s.first[' '], s.first['+'] = true, true
	}
	if strange(r) {
		s.first[utf8.AppendRune(nil, utf8.RuneError)[0]] = true
	}
}

// Forms returns a secret as it is, and in the ways in which programs write it: quoted, percent-encoded, in base64 and in hex. The longest
// is first.
func Forms(value string) []string {
	quoted, _ := json.Marshal(value) // a string always encodes
	goes := strconv.Quote(value)
	raw := []byte(value)
	forms := []string{
		value, string(quoted[1 : len(quoted)-1]), goes[1 : len(goes)-1], url.QueryEscape(value), url.PathEscape(value),
		base64.RawStdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw), hex.EncodeToString(raw),
	}
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) }) // a long form may contain a short one
	return slices.Compact(forms)
}

// hide replaces the secret in a text by its placeholder.
func (s secret) hide(text string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); {
		if !s.first[text[i]] || !utf8.RuneStart(text[i]) {
			i++
			continue
		}
		if n := named(text[i:]); n > 0 { // keep placeholders: a secret may be the word "secret"
			i += n
			continue
		}
		if n := s.found(text[i:]); n > 0 {
			b.WriteString(text[from:i])
			b.WriteString(s.shown)
			i += n
			from = i
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// found returns the length in bytes of the secret, in any form, at the beginning of the text; 0 if the text begins otherwise.
func (s secret) found(text string) int {
	for _, form := range s.forms {
		if strings.HasPrefix(text, form) {
			return len(form)
		}
	}
	return s.at(text)
}

// Name is the placeholder of a secret that is typed by its name.
func Name(name string) string { return mark + name }

const mark = "$SECRET:"

// named returns the length in bytes of a placeholder such as $SECRET:NAME at the beginning of the text; 0 without one.
func named(text string) int {
	name, is := strings.CutPrefix(text, mark)
	if !is {
		return 0
	}
	end := strings.IndexFunc(name, func(r rune) bool {
		return !strings.ContainsRune("_.-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end < 0 {
		end = len(name)
	}
	return len(mark) + end
}

// cut is the end of a text that was shortened. leastCut is the number of characters of a secret before it that must be hidden.
const (
	cut      = "…"
	leastCut = 4
)

// at returns the length in bytes of the secret at the beginning of the text, in more spellings than found: quoted once or several times,
// escaped as in JSON or a URL, with blanks in place of control characters, in the other case, with the separators that a text field puts
// between digits, or cut short.
func (s secret) at(text string) int {
	at, slashes := 0, 0
	for i, r := range s.runes {
		if r == '\\' {
			if slashes++; i+1 < len(s.runes) && s.runes[i+1] == '\\' {
				continue
			}
			run, n := backslashes(text[at:])
			if run < slashes { // there may be more: quoting adds backslashes, and the next character may have its own
				return 0
			}
			at += n
			continue
		}
		n := spelled(text[at:], r)
		if slashes > 0 && n == 0 {
			n = unescaped(text[at:], r)
		}
		slashes = 0
		if n == 0 && i > 0 && digit(r) && digit(s.runes[i-1]) {
			gap := marks(text[at:])
			if n = spelled(text[at+gap:], r); n > 0 {
				n += gap
			}
		}
		if n == 0 {
			if i >= leastCut && strings.HasPrefix(text[at:], cut) {
				return at
			}
			return 0
		}
		at += n
	}
	return at
}

// backslashes counts the backslashes at the beginning of the text, and their length in bytes: a URL writes %5c.
func backslashes(text string) (run, at int) {
	for n := 0; ; at += n {
		if n = percent(text[at:], '\\'); strings.HasPrefix(text[at:], `\`) {
			n = 1
		}
		if n == 0 {
			return run, at
		}
		run++
	}
}

func digit(r rune) bool { return '0' <= r && r <= '9' }

// marks returns the length in bytes of the separators that a text field may put between two digits of a number.
func marks(text string) int {
	const mostMarks = 3
	at := 0
	for i := 0; i < mostMarks; i++ {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(" -./()\u00a0", r) {
			break
		}
		at += n
	}
	return at
}

// spelled returns the length in bytes of a character at the beginning of the text, in any spelling; 0 if the text begins with another
// character.
func spelled(text string, want rune) int {
	if text == "" {
		return 0
	}
	if n := percent(text, want); n > 0 { // first, because a URL writes a percent sign as %25
		return n
	}
	got, n := utf8.DecodeRuneInString(text)
	switch {
	case got == want || unicode.ToLower(got) == unicode.ToLower(want):
		return n
	case got == ' ' && unicode.IsSpace(want), got == '+' && want == ' ', got == '\ufffd' && strange(want):
		return n
	}
	if slashes := len(text) - len(strings.TrimLeft(text, `\`)); slashes > 0 { // a text may have been quoted more than once
		if n := unescaped(text[slashes:], want); n > 0 {
			return slashes + n
		}
	}
	return 0
}

func strange(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// percent returns the length in bytes of the wanted character at the beginning of the text when it is percent-encoded there; otherwise 0.
func percent(text string, want rune) int {
	var b []byte
	for i := 0; i+2 < len(text) && text[i] == '%'; i += 3 {
		n, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		if err != nil {
			return 0
		}
		if b = append(b, byte(n)); utf8.FullRune(b) {
			if r, _ := utf8.DecodeRune(b); r == want {
				return i + 3
			}
			return 0
		}
	}
	return 0
}

// unescaped reads a character after its backslash.
func unescaped(text string, want rune) int {
	if text == "" {
		return 0
	}
	if letter, ok := letters[want]; ok && text[0] == letter {
		return 1
	}
	if rune(text[0]) == want && strings.ContainsRune(`"'/`, want) {
		return 1
	}
	for lead, digits := range map[byte]int{'u': 4, 'x': 2, 'U': 8} {
		if len(text) > digits && text[0] == lead {
			if code, err := strconv.ParseUint(text[1:digits+1], 16, 32); err == nil && rune(code) == want {
				return digits + 1
			}
		}
	}
	return 0
}

// letters are what stands behind a backslash for a control character.
var letters = map[rune]byte{'\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f', '\a': 'a', '\v': 'v', 0x1b: 'e'}
