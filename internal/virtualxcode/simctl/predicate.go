package simctl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// predicate decides whether an entry is shown. The language is the part of NSPredicate's that people use with log:
//
//	process == "Shop" AND NOT (category CONTAINS[c] "net" OR messageType == error)
type predicate func(entry) bool

func anyEntry(entry) bool { return true }

// attributes are what can be asked about an entry.
func attributes() map[string]func(entry) string {
	message := func(e entry) string { return e.Message }
	return map[string]func(entry) string{
		"process":          func(e entry) string { return e.Process },
		"processimagepath": entry.image,
		"sender":           func(e entry) string { return e.Process },
		"senderimagepath":  entry.image,
		"processid":        func(e entry) string { return strconv.Itoa(e.PID) },
		"subsystem":        func(e entry) string { return e.Subsystem },
		"category":         func(e entry) string { return e.Category },
		"eventmessage":     message,
		"composedmessage":  message,
		"messagetype":      func(e entry) string { return strings.ToLower(string(e.Level)) },
		"loglevel":         func(e entry) string { return strings.ToLower(string(e.Level)) },
		"eventtype":        func(entry) string { return "logEvent" },
	}
}

// comparisons are the operators.
func comparisons() map[string]func(have, want string) bool {
	same := func(have, want string) bool { return have == want }
	differs := func(have, want string) bool { return have != want }
	return map[string]func(have, want string) bool{
		"==": same, "=": same, "!=": differs, "<>": differs,
		"CONTAINS": strings.Contains, "BEGINSWITH": strings.HasPrefix, "ENDSWITH": strings.HasSuffix,
	}
}

func parsePredicate(text string) (predicate, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	all, err := p.either()
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("unexpected %q", p.tokens[0].text)
	}
	return all, err
}

type parser struct{ tokens []token }

var errEnd = errors.New("unexpected end")

func (p *parser) next() (token, error) {
	if len(p.tokens) == 0 {
		return token{}, errEnd
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	return t, nil
}

// skip takes the next token if it is one of these words.
func (p *parser) skip(words ...string) bool {
	for _, w := range words {
		if len(p.tokens) > 0 && !p.tokens[0].quoted && strings.EqualFold(p.tokens[0].text, w) {
			p.tokens = p.tokens[1:]
			return true
		}
	}
	return false
}

func (p *parser) either() (predicate, error) {
	left, err := p.both()
	for err == nil && p.skip("OR", "||") {
		var right predicate
		one := left
		right, err = p.both()
		left = func(e entry) bool { return one(e) || right(e) }
	}
	return left, err
}

func (p *parser) both() (predicate, error) {
	left, err := p.not()
	for err == nil && p.skip("AND", "&&") {
		var right predicate
		one := left
		right, err = p.not()
		left = func(e entry) bool { return one(e) && right(e) }
	}
	return left, err
}

func (p *parser) not() (predicate, error) {
	if p.skip("NOT", "!") {
		inner, err := p.not()
		return func(e entry) bool { return !inner(e) }, err
	}
	if !p.skip("(") {
		return p.comparison()
	}
	inner, err := p.either()
	if err == nil && !p.skip(")") {
		err = errors.New("missing )")
	}
	return inner, err
}

func (p *parser) comparison() (predicate, error) {
	name, err1 := p.next()
	operator, err2 := p.next()
	value, err3 := p.next()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, errEnd
	}
	get := attributes()[strings.ToLower(name.text)]
	word, options, _ := strings.Cut(strings.ToUpper(operator.text), "[") // [c] and [cd] fold case
	compare := comparisons()[word]
	if get == nil || name.quoted || compare == nil || operator.quoted {
		return nil, fmt.Errorf("%q %q is not understood", name.text, operator.text)
	}
	want := value.text
	if strings.EqualFold(name.text, "messageType") {
		want = strings.ToLower(want)
	}
	if strings.HasPrefix(options, "C") {
		return func(e entry) bool { return compare(strings.ToLower(get(e)), strings.ToLower(want)) }, nil
	}
	return func(e entry) bool { return compare(get(e), want) }, nil
}
