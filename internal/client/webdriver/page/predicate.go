package page

import (
	"slices"
	"strconv"
	"strings"
)

// predicate is an NSPredicate over an element: comparisons of attributes with constants, and, or, not.
type predicate func(*Node) bool

// mostPredicate is the maximum length of a predicate, and mostNesting its maximum nesting.
const (
	mostPredicate = 4096
	mostNesting   = 100
)

// Fitting are the elements that match a predicate.
func (t *Page) Fitting(condition string) ([]*Node, error) { return byPredicate(t, condition, nil) }

func byPredicate(t *Page, selector string, from *Node) ([]*Node, error) {
	fits, err := t.predicate(selector)
	if err != nil {
		return nil, err
	}
	return t.All(from, fits), nil
}

// predicate parses a predicate. It refuses unsupported parts of NSPredicate by name.
func (t *Page) predicate(text string) (predicate, error) {
	if len(text) > mostPredicate {
		return nil, invalid("the predicate has more than %d characters", mostPredicate)
	}
	words, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &predicateReader{text: text, words: words, tree: t}
	fits, err := p.or()
	if err == nil && p.at < len(p.words) {
		err = p.wrong("is unexpected")
	}
	return fits, err
}

// word is a token of a predicate.
type word struct {
	kind byte // w: a word, s: a text, n: a number, o: an operator or another sign
	text string
}

func lex(text string) (words []word, err error) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '"' || c == '\'':
			s, n, closed := quotedText(text[i:])
			if !closed {
				return nil, invalid("the predicate %q has a text without an end", text)
			}
			words = append(words, word{'s', s})
			i += n
		case isDigit(c) || c == '-' && i+1 < len(text) && isDigit(text[i+1]):
			n := 1
			for i+n < len(text) && (isDigit(text[i+n]) || text[i+n] == '.') {
				n++
			}
			words = append(words, word{'n', text[i : i+n]})
			i += n
		case isLetter(c):
			n := 1
			for i+n < len(text) && (isLetter(text[i+n]) || isDigit(text[i+n]) || text[i+n] == '.') {
				n++
			}
			words = append(words, word{'w', text[i : i+n]})
			i += n
		default:
			n := 1
			if i+1 < len(text) && slices.Contains([]string{"==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||"}, text[i:i+2]) {
				n = 2
			} else if !strings.ContainsRune("=<>!()[]{},", rune(c)) {
				return nil, invalid("the predicate %q has %q, which is not supported", text, string([]rune(text[i:])[0]))
			}
			words = append(words, word{'o', text[i : i+n]})
			i += n
		}
	}
	return words, nil
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// quotedText parses a quoted text, and returns its length in bytes.
func quotedText(s string) (text string, n int, closed bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1, true
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", len(s), false
}

type predicateReader struct {
	text  string
	words []word
	at    int
	depth int
	tree  *Page
}

func (p *predicateReader) wrong(what string) error {
	if p.at >= len(p.words) {
		return invalid("the predicate %q ends too early", p.text)
	}
	return invalid("the predicate %q: %q %s", p.text, p.words[p.at].text, what)
}

// is consumes the next word if it is one of these.
func (p *predicateReader) is(texts ...string) bool {
	if p.at >= len(p.words) || p.words[p.at].kind == 's' {
		return false
	}
	for _, text := range texts {
		if strings.EqualFold(p.words[p.at].text, text) {
			p.at++
			return true
		}
	}
	return false
}

func (p *predicateReader) or() (predicate, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > mostNesting {
		return nil, invalid("the predicate nests deeper than %d", mostNesting)
	}
	left, err := p.and()
	for err == nil && p.is("OR", "||") {
		before := left
		var right predicate
		if right, err = p.and(); err == nil {
			left = func(n *Node) bool { return before(n) || right(n) }
		}
	}
	return left, err
}

func (p *predicateReader) and() (predicate, error) {
	left, err := p.not()
	for err == nil && p.is("AND", "&&") {
		before := left
		var right predicate
		if right, err = p.not(); err == nil {
			left = func(n *Node) bool { return before(n) && right(n) }
		}
	}
	return left, err
}

func (p *predicateReader) not() (predicate, error) {
	if p.is("NOT", "!") {
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > mostNesting {
			return nil, invalid("the predicate nests deeper than %d", mostNesting)
		}
		inner, err := p.not()
		return func(n *Node) bool { return !inner(n) }, err
	}
	if p.is("(") {
		inner, err := p.or()
		if err == nil && !p.is(")") {
			err = p.wrong("appears where ) is missing")
		}
		return inner, err
	}
	if p.is("TRUEPREDICATE") {
		return func(*Node) bool { return true }, nil
	}
	if p.is("FALSEPREDICATE") {
		return func(*Node) bool { return false }, nil
	}
	return p.comparison()
}

// operand is a side of a comparison: an attribute, or a constant.
type operand func(*Node) any // string, float64, bool, nil, or []any

func (p *predicateReader) comparison() (predicate, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.at >= len(p.words) {
		return nil, p.wrong("")
	}
	name := strings.ToUpper(p.words[p.at].text)
	compare, known := comparisons[name]
	if !known || p.words[p.at].kind == 's' {
		return nil, p.wrong("is not a supported comparison")
	}
	p.at++
	var o options
	if p.is("[") {
		if p.at < len(p.words) {
			for _, c := range strings.ToLower(p.words[p.at].text) {
				switch c {
				case 'c':
					o.caseless = true
				case 'd':
					o.markless = true
				default:
					return nil, p.wrong("is not an option; use c or d")
				}
			}
			p.at++
		}
		if !p.is("]") {
			return nil, p.wrong("appears where ] is missing")
		}
	}
	place := p.at
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	if name == "MATCHES" {
		pattern, is := right(&Node{}).(string)
		if !is {
			return nil, invalid("the predicate %q: MATCHES needs a text", p.text)
		}
		if _, err := expression(pattern, o); err != nil {
			p.at = place
			return nil, p.wrong("is not a supported pattern: " + err.Error())
		}
	}
	return func(n *Node) bool { return compare(left(n), right(n), o) }, nil
}

func (p *predicateReader) operand() (operand, error) {
	if p.at >= len(p.words) {
		return nil, p.wrong("")
	}
	w := p.words[p.at]
	constant := func(v any) (operand, error) { p.at++; return func(*Node) any { return v }, nil }
	switch {
	case w.kind == 's':
		return constant(w.text)
	case w.kind == 'n':
		f, err := strconv.ParseFloat(w.text, 64)
		if err != nil {
			return nil, p.wrong("is not a number")
		}
		return constant(f)
	case w.text == "{":
		return p.list()
	case w.kind == 'o':
		return nil, p.wrong("appears where an attribute or a constant is missing")
	}
	switch strings.ToUpper(w.text) {
	case "YES", "TRUE":
		return constant(true)
	case "NO", "FALSE":
		return constant(false)
	case "NIL", "NULL":
		return constant(nil)
	}
	read, known := keys[strings.ToLower(strings.TrimPrefix(w.text, "wd"))]
	if !known {
		return nil, p.wrong("is not a supported attribute")
	}
	if strings.HasSuffix(strings.ToLower(w.text), "accessible") && !p.tree.knowsAccessible() {
		return nil, accessibleUnknown()
	}
	p.at++
	return read, nil
}

func (p *predicateReader) list() (operand, error) {
	p.at++ // {
	var all []any
	for !p.is("}") {
		one, err := p.operand()
		if err != nil {
			return nil, err
		}
		all = append(all, one(&Node{}))
		if p.is(",") {
			continue
		}
		if p.at >= len(p.words) || p.words[p.at].text != "}" {
			return nil, p.wrong("appears where , or } is missing")
		}
	}
	return func(*Node) any { return all }, nil
}
