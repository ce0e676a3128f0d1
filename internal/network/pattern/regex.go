package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// compile makes a regular expression that ignores case, for one header line or the many lines of a body. from is the offset of its text
// in the pattern, including a quote.
func compile(p *parser, from int, text string) (*regexp.Regexp, error) {
	if what, at := pythonOnly(text); what != "" {
		return nil, p.wrong(p.within(from, text, at), what+" is not supported by RE2, the syntax of regular expressions here",
			"Use ! and several conditions instead: ~u /orders & !~u /orders/1.")
	}
	rx, err := regexp.Compile("(?is)" + text)
	if err == nil {
		return rx, nil
	}
	at, why := from, err.Error()
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		why = e.Code.String()
		if i := strings.Index(text, strings.TrimPrefix(e.Expr, "(?is)")); i >= 0 {
			at = p.within(from, text, i)
		}
	}
	return nil, p.wrong(at, fmt.Sprintf("invalid regular expression: %s", why),
		"Write \\ before a literal special character: \"orders\\?id=1\".")
}

// within is the offset of the text's i-th byte in the pattern, where quotes and escapes take extra bytes.
func (p *parser) within(from int, text string, i int) int {
	if from >= len(p.text) || p.text[from] != '"' && p.text[from] != '\'' {
		return from + i
	}
	at := from + 1
	for range i {
		if p.text[at] == '\\' && strings.IndexByte("\\\"'", p.text[at+1]) >= 0 {
			at++
		}
		at++
	}
	return at
}

// pythonOnly finds syntax of Python's regular expressions that RE2 lacks.
func pythonOnly(text string) (what string, at int) {
	inClass := false
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case rest[0] == '\\':
			if what := escapes(rest, inClass); what != "" {
				return what, i
			}
			i++
		case inClass:
			inClass = rest[0] != ']'
		case rest[0] == '[':
			inClass = true
			for _, first := range []string{"[^]", "[]", "[^"} { // a ] at the start belongs to the class
				if strings.HasPrefix(rest, first) {
					i += len(first) - 1
					break
				}
			}
		default:
			for _, g := range groups {
				if strings.HasPrefix(rest, g.begin) {
					return g.what, i
				}
			}
		}
	}
	return "", 0
}

var groups = []struct{ begin, what string }{
	{"(?=", "looking ahead (?=…)"}, {"(?!", "looking ahead (?!…)"},
	{"(?<=", "looking behind (?<=…)"}, {"(?<!", "looking behind (?<!…)"},
	{"(?P=", "a reference to a group (?P=…)"}, {"(?(", "a condition (?(…)…)"},
	{"(?>", "an atomic group (?>…)"}, {"(?#", "a comment (?#…)"},
	{"(?x", "the flag x"}, {"(?a", "the flag a"}, {"(?L", "the flag L"}, {"(?u", "the flag u"},
	{"*+", "a possessive *+"}, {"++", "a possessive ++"}, {"?+", "a possessive ?+"},
}

func escapes(rest string, inClass bool) string {
	if len(rest) < 2 {
		return ""
	}
	switch c := rest[1]; {
	case c >= '1' && c <= '9' && !inClass:
		return "a reference to a group \\" + string(c)
	case c == 'Z':
		return "\\Z (write \\z or $)"
	case c == 'u' || c == 'U' || c == 'N':
		return "\\" + string(c) + " (write the character itself, or \\x{HHHH})"
	}
	return ""
}
