package wda

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// locate finds elements below one, in document order, by one of WebDriverAgent's strategies.
func locate(using, value string, below *node) ([]*node, error) {
	var fits func(*node) bool
	switch using {
	case "name", "id", "accessibility id":
		fits = func(n *node) bool { return n.name() == value }
	case "class name":
		fits = func(n *node) bool { return n.kind() == value }
	case "link text", "partial link text":
		name, want, said := strings.Cut(value, "=")
		if !said {
			name, want = "name", value
		}
		fits = func(n *node) bool {
			text, ok := n.written(name)
			return ok && (text == want || using == "partial link text" && strings.Contains(text, want))
		}
	case "predicate string":
		p, err := parsePredicate(value)
		if err != nil {
			return nil, invalid("%v", err)
		}
		fits = p
	case "xpath":
		return xpath(value, below)
	case "class chain":
		return classChain(value, below)
	default:
		return nil, invalid("Invalid locator requested: %s", using)
	}
	var found []*node
	for _, n := range below.all()[1:] {
		if fits(n) {
			found = append(found, n)
		}
	}
	return found, nil
}

func badSelector(format string, args ...any) error {
	return problem(http.StatusBadRequest, "invalid selector", format, args...)
}

// words splits an expression into names, quoted texts (with their quotes), numbers and signs.
func words(text string) ([]string, error) {
	var out []string
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == ' ' || ch == '\n' || ch == '\t':
			i++
		case ch == '"' || ch == '\'':
			j := strings.IndexByte(text[i+1:], ch)
			if j < 0 {
				return nil, fmt.Errorf("a quote is not closed in %s", text)
			}
			out = append(out, text[i:i+j+2])
			i += j + 2
		case letter(ch):
			j := i
			for j < len(text) && (letter(text[j]) || text[j] == '.' || text[j] == '-' && j > i) {
				j++
			}
			out = append(out, text[i:j])
			i = j
		default:
			for _, sign := range []string{"==", "!=", "<>", ">=", "<=", "&&", "||", "//"} {
				if strings.HasPrefix(text[i:], sign) {
					out, i = append(out, sign), i+2
					ch = 0
					break
				}
			}
			if ch != 0 {
				out, i = append(out, string(ch)), i+1
			}
		}
	}
	return out, nil
}

func letter(ch byte) bool {
	return ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' || ch == '_' || ch >= 0x80
}

// reader walks through the words of an expression.
type reader struct {
	words []string
	at    int
}

func (r *reader) peek() string {
	if r.at < len(r.words) {
		return r.words[r.at]
	}
	return ""
}

func (r *reader) next() string {
	w := r.peek()
	r.at++
	return w
}

// take consumes the next word if it is one of these, in any case.
func (r *reader) take(any ...string) bool {
	if slices.ContainsFunc(any, func(w string) bool { return strings.EqualFold(w, r.peek()) }) && r.at < len(r.words) {
		r.at++
		return true
	}
	return false
}

func unquoted(word string) (string, bool) {
	if len(word) >= 2 && (word[0] == '"' || word[0] == '\'') {
		return word[1 : len(word)-1], true
	}
	return word, false
}

type test func(*node) bool

// parsePredicate reads the simple part of NSPredicate: comparisons joined by AND, OR and NOT.
func parsePredicate(text string) (test, error) {
	list, err := words(text)
	if err != nil {
		return nil, err
	}
	r := &reader{words: list}
	t, err := r.or()
	if err == nil && r.at < len(r.words) {
		err = fmt.Errorf("cannot parse the format string %q", text)
	}
	return t, err
}

func (r *reader) or() (test, error) {
	left, err := r.and()
	for err == nil && r.take("OR", "||") {
		var right test
		if right, err = r.and(); err == nil {
			one := left
			left = func(n *node) bool { return one(n) || right(n) }
		}
	}
	return left, err
}

func (r *reader) and() (test, error) {
	left, err := r.not()
	for err == nil && r.take("AND", "&&") {
		var right test
		if right, err = r.not(); err == nil {
			one := left
			left = func(n *node) bool { return one(n) && right(n) }
		}
	}
	return left, err
}

func (r *reader) not() (test, error) {
	if r.take("NOT", "!") {
		t, err := r.not()
		return func(n *node) bool { return !t(n) }, err
	}
	if r.take("(") {
		t, err := r.or()
		if err == nil && !r.take(")") {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return t, err
	}
	return r.comparison()
}

// comparison is a name, an operator and a value.
func (r *reader) comparison() (test, error) {
	name := r.next()
	operator := strings.ToUpper(r.next())
	fold := false
	if r.take("[") {
		fold = strings.Contains(strings.ToLower(r.next()), "c")
		r.take("]")
	}
	want, quoted := unquoted(r.next())
	compare, known := comparisons[operator]
	if !known || want == "" && !quoted {
		return nil, fmt.Errorf("cannot parse the format string near %q", name)
	}
	return func(n *node) bool {
		have, ok := n.shown(name)
		is := want
		if !quoted {
			is = truth(is)
		}
		if fold {
			have, is = strings.ToLower(have), strings.ToLower(is)
		}
		if operator == "!=" || operator == "<>" {
			return !ok || compare(have, is)
		}
		return ok && compare(have, is)
	}, nil
}

// shown is the form of an attribute in a predicate: booleans are 1 and 0, parts of the frame are rect.x etc.
func (n *node) shown(name string) (string, bool) {
	if side, ok := strings.CutPrefix(name, "rect."); ok {
		return n.written(side)
	}
	text, ok := n.written(name)
	return truth(text), ok
}

func truth(text string) string {
	switch strings.ToLower(text) {
	case "true", "yes":
		return "1"
	case "false", "no":
		return "0"
	}
	return text
}

var comparisons = map[string]func(have, want string) bool{
	"==": func(a, b string) bool { return a == b }, "=": func(a, b string) bool { return a == b },
	"!=": func(a, b string) bool { return a != b }, "<>": func(a, b string) bool { return a != b },
	"CONTAINS": strings.Contains, "BEGINSWITH": strings.HasPrefix, "ENDSWITH": strings.HasSuffix, "LIKE": like,
	">": func(a, b string) bool { return number(a) > number(b) }, "<": func(a, b string) bool { return number(a) < number(b) },
	">=": func(a, b string) bool { return number(a) >= number(b) }, "<=": func(a, b string) bool { return number(a) <= number(b) },
}

func number(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

// like supports * for any characters.
func like(have, want string) bool {
	parts := strings.Split(want, "*")
	if len(parts) == 1 {
		return have == want
	}
	if !strings.HasPrefix(have, parts[0]) {
		return false
	}
	have = have[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(have, p)
		if i < 0 {
			return false
		}
		have = have[i+len(p):]
	}
	return strings.HasSuffix(have, parts[len(parts)-1])
}
