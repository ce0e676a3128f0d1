package pattern

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse reads a pattern. Its error is an *Error.
//
// The grammar, loosest first: terms side by side must all match; a | b; a & b; !a; (a), an operator such as ~q or ~u TEXT, or a text
// alone, which is ~u TEXT. A text is a word without space, brackets, quotes and ~, or it stands in quotes. Plain's form is read first.
func Parse(text string) (*Pattern, error) {
	text = Plain(text)
	p := &parser{text: text}
	if len(text) > Most {
		return nil, &Error{Text: text, Offset: Most, Message: fmt.Sprintf("it is longer than %d bytes", Most), Hint: hintShorter}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Text: text, Offset: badByte(text), Message: "it is not UTF-8 text", Hint: "Write other bytes as \\xHH."}
	}
	root, err := p.all(0)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) { // p.all stops only at a bracket
		return nil, p.wrong(p.at, "unmatched )", "Remove it, or put the text around it in quotes.")
	}
	return &Pattern{text: text, root: root}, nil
}

const hintShorter = "Write a shorter pattern, with one regular expression for several texts: ~u \"orders|cart\"."

func badByte(text string) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

type parser struct {
	text  string
	at    int
	depth int
}

func (p *parser) wrong(at int, message, hint string) error {
	return &Error{Text: p.text, Offset: at, Message: message, Hint: hint}
}

// next skips space and returns the following character, 0 at the end.
func (p *parser) next() byte {
	for p.at < len(p.text) && strings.IndexByte(space, p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// space and special are the characters that end a word.
const (
	space   = " \t\r\n"
	special = "()~'\""
)

// all reads terms side by side, until the end or a closing bracket.
func (p *parser) all(opened int) (node, error) {
	var terms []node
	for c := p.next(); c != 0 && c != ')'; c = p.next() {
		n, err := p.binary('|')
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
	if len(terms) == 0 && p.depth > 0 {
		return nil, p.wrong(opened, "empty brackets", "Write a condition into the brackets, such as (~m POST).")
	}
	if len(terms) == 0 {
		return nil, p.wrong(p.at, "the pattern is empty", "Write ~all for all flows, or a piece of the URL.")
	}
	return join(terms, no), nil
}

func join(terms []node, decide truth) node {
	if len(terms) == 1 {
		return terms[0]
	}
	return list{terms, decide}
}

// binary reads terms between signs: | and, below it, &.
func (p *parser) binary(sign byte) (node, error) {
	below, decide := func() (node, error) { return p.binary('&') }, yes
	if sign == '&' {
		below, decide = p.one, no
	}
	var terms []node
	for {
		n, err := below()
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
		if p.next() != sign {
			return join(terms, decide), nil
		}
		at := p.at
		p.at++
		if c := p.next(); c == 0 || c == ')' || c == '&' || c == '|' {
			return nil, p.wrong(at, fmt.Sprintf("a condition is missing after this %c", sign), hintQuote)
		}
	}
}

const hintQuote = "Write a condition on both sides of & and |, or put the text in quotes if the sign belongs to it: ~u \"a&b\"."

// one reads a term: !term, (terms), an operator, or a text.
func (p *parser) one() (node, error) {
	c := p.next()
	at := p.at
	switch c {
	case '!', '(':
		if p.depth++; p.depth > mostDepth {
			return nil, p.wrong(p.at, "too many nested brackets", "Remove brackets: a | b & c means a | (b & c).")
		}
		defer func() { p.depth-- }()
		p.at++
		if c == '(' {
			return p.group(at)
		}
		if c := p.next(); c == 0 || c == ')' {
			return nil, p.wrong(at, "a condition is missing after this !", "Write what must not hold: !~m GET.")
		}
		n, err := p.one()
		return not{n}, err
	case '&', '|':
		return nil, p.wrong(p.at, fmt.Sprintf("a condition is missing before this %c", c), hintQuote)
	case '~':
		return p.operator()
	default:
		text, err := p.regex("", at)
		if err != nil {
			return nil, err
		}
		return operators()["u"].make(p, at, text)
	}
}

func (p *parser) group(opened int) (node, error) {
	n, err := p.all(opened)
	if err == nil && p.at == len(p.text) {
		return nil, p.wrong(opened, "unmatched (", "Close it, or put the text around it in quotes.")
	}
	p.at++
	return n, err
}

// operator reads ~name and its text.
func (p *parser) operator() (node, error) {
	at := p.at
	p.at++
	name := p.until(space + special + "!&|")
	op, known := operators()[name]
	switch {
	case !known:
		message, hint := unknownOperator(name)
		return nil, p.wrong(at, message, hint)
	case op.refused != "":
		return nil, p.wrong(at, fmt.Sprintf("~%s is not supported: %s", name, op.refused), op.instead)
	case !op.takes:
		if err := p.ended(false); err != nil {
			return nil, err
		}
		return op.make(p, at, "")
	}
	if p.at < len(p.text) && strings.IndexByte(space, p.text[p.at]) < 0 && p.text[p.at] != ')' {
		return nil, p.wrong(p.at, fmt.Sprintf("a space is missing after ~%s", name), "Write "+op.example+".")
	}
	p.next()
	from := p.at
	text, err := p.regex("~"+name, at)
	if err != nil {
		return nil, err
	}
	return op.make(p, from, text)
}

func (p *parser) until(stops string) string {
	from := p.at
	if n := strings.IndexAny(p.text[p.at:], stops); n >= 0 {
		p.at += n
	} else {
		p.at = len(p.text)
	}
	return p.text[from:p.at]
}

// regex reads the text of an operator; operator is empty for a text without one.
func (p *parser) regex(operator string, at int) (string, error) {
	switch c := p.next(); c {
	case '"', '\'':
		return p.quoted(c)
	case 0, ')', '(', '~':
		message, hint := operator+" needs a text after it", "Write it after a space: "+operator+" \"text\"."
		if c == '(' {
			message, hint = "a text with brackets must stand in quotes", "Write "+operator+" \"(a|b)\"."
		}
		return "", p.wrong(max(at, min(p.at, len(p.text)-1)), message, hint)
	}
	word := p.until(space + special)
	if end := word[len(word)-1]; end == '&' || end == '|' {
		return "", p.wrong(p.at-1, fmt.Sprintf("this %c touches the text before it", end),
			"Put a space before it, or put the text in quotes if the sign belongs to the text.")
	}
	return word, p.ended(true)
}

// ended requires a space or a bracket after an operator or a text: without it, two terms would look like one text.
func (p *parser) ended(bare bool) error {
	if p.at == len(p.text) || p.text[p.at] == ')' || strings.IndexByte(space, p.text[p.at]) >= 0 {
		return nil
	}
	if c := p.text[p.at]; bare && c != '~' {
		return p.wrong(p.at, fmt.Sprintf("%c needs quotes around the text", c), "Put the whole text in quotes: ~u \"/orders/(1|2)\".")
	}
	return p.wrong(p.at, "a space is missing here", "Put a space between two conditions, or put a single text in quotes.")
}

// quoted reads a text in quotes. A backslash escapes a quote or another backslash; the regular expression gets every other backslash.
func (p *parser) quoted(quote byte) (string, error) {
	from := p.at
	p.at++
	var b strings.Builder
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return b.String(), p.ended(false)
		case c == '\\' && p.at+1 < len(p.text) && strings.IndexByte("\\\"'", p.text[p.at+1]) >= 0:
			p.at++
			b.WriteByte(p.text[p.at])
		case c == '\n' || c == '\r':
			return "", p.wrong(p.at, "line break inside quotes", "Write \\n for a line break.")
		default:
			b.WriteByte(c)
		}
	}
	return "", p.wrong(from, "unmatched quote", "Close it, or write \\ before a quote that belongs to the text.")
}

// Quote writes a regular expression as a quoted text, which mitmproxy reads too.
func Quote(regex string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(regex) + `"`
}
