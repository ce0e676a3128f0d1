package flow

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"ios-agent/internal/fault/mask"
)

// Limits of the search in JSON: the length of a name, and the depth of documents inside strings of other documents.
const (
	mostName   = 100
	mostNested = 8
)

// fields hides the secret fields of JSON anywhere in a text, also inside its strings, down to mostNested levels. The text may be cut or
// only resemble JSON, so the search cannot rely on the structure: every quotation mark may begin a name.
func (r *redactor) fields(text, place string, nested int) string {
	var out strings.Builder
	from := 0
	put := func(at, end int, shown string) {
		out.WriteString(text[from:at])
		out.WriteString(shown)
		from = end
	}
	for i := 0; ; {
		next := strings.IndexByte(text[i:], '"')
		if next < 0 {
			break
		}
		at := i + next
		i = at + 1
		if name, value, is := nameAt(text, at); is {
			i = value
			if end := valueEnd(text, value); end > value && r.names.secret(name) {
				r.note(place + name)
				put(value, end, `"`+mask.Hidden+`"`)
				i = end
			}
			continue
		}
		if !opens(text, at) {
			continue
		}
		if end := stringEnd(text, at); quotes(text[at:end]) {
			if shown := r.inner(text[at:end], place, nested); shown != text[at:end] {
				put(at, end, shown)
			}
			i = end
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// inner handles a JSON string that may contain fields of JSON.
func (r *redactor) inner(quoted, place string, nested int) string {
	plain := unquoted(quoted)
	if !strings.Contains(plain, ":") {
		return quoted
	}
	if nested >= mostNested { // no real document is this deep: hide it whole instead of searching it
		r.note(strings.TrimSpace(place))
		return `"` + mask.Hidden + `"`
	}
	shown := r.fields(plain, place, nested+1)
	if shown == plain {
		return quoted
	}
	return asString(shown)
}

// nameAt reads the field name that begins at a quotation mark, and finds the beginning of its value.
func nameAt(text string, at int) (name string, value int, is bool) {
	end := stringEnd(text[:min(len(text), at+mostName+2)], at)
	value = blanks(text, end)
	if end-at <= 2 || text[end-1] != '"' || value >= len(text) || text[value] != ':' {
		return "", 0, false
	}
	return unquoted(text[at:end]), blanks(text, value+1), true
}

// blanks skips white space.
func blanks(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// valueEnd is the end of a value that can be secret: any value except an empty text and null. For other values it is at.
func valueEnd(text string, at int) int {
	switch {
	case at >= len(text) || strings.HasPrefix(text[at:], `""`):
		return at
	case text[at] == '"':
		return stringEnd(text, at)
	case text[at] == '{' || text[at] == '[':
		return at + valueLength(text[at:])
	}
	end := at
	for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
		end++
	}
	for _, word := range []string{"true", "false"} {
		if strings.HasPrefix(text[at:], word) {
			end = at + len(word)
		}
	}
	return end
}

// stringEnd is the end of the string that begins at a quotation mark; a string that is cut extends to the end of the text.
func stringEnd(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// opens reports whether a quotation mark begins a value, judged by the text before it.
func opens(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-64):at], " \t\r\n")
	return before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "[")
}

// quotes reports whether a string contains a quotation mark.
func quotes(quoted string) bool {
	return strings.Contains(quoted, `\"`) || strings.Contains(quoted, `\u0022`)
}

// unquoted is the content of a JSON string. It tolerates a string that is cut or has characters that JSON does not allow.
func unquoted(quoted string) string {
	text := strings.TrimSuffix(quoted[1:], `"`)
	if !strings.Contains(text, `\`) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		if plain := strings.IndexByte("bfnrt", text[i]); plain >= 0 {
			out = append(out, "\b\f\n\r\t"[plain])
		} else if units := escaped(text[i:]); len(units) > 0 {
			out = append(out, string(utf16.Decode(units))...)
			i += len(units)*len(`\u0000`) - 2
		} else {
			out = append(out, text[i])
		}
	}
	return string(out)
}

// escaped reads u0022, and a second \u0022 if both form one character.
func escaped(text string) (units []uint16) {
	for len(units) < 2 && len(text) >= 5 && text[0] == 'u' {
		n, err := strconv.ParseUint(text[1:5], 16, 16)
		if err != nil {
			break
		}
		units = append(units, uint16(n))
		if !utf16.IsSurrogate(rune(n)) || !strings.HasPrefix(text[5:], `\u`) {
			break
		}
		text = text[6:]
	}
	return units
}

// asString is a text as a JSON string.
func asString(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // encoding a string cannot fail
	return strings.TrimSuffix(out.String(), "\n")
}
