package simctl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// predicate decides whether an entry is shown. The language is the part of NSPredicate's that people use with log:
//
//	process == "Shop" AND NOT (category CONTAINS[c] "net" OR messageType == error)
//	subsystem LIKE "com.example.*" AND category IN {"net", "ui"}
type predicate func(entry) bool

func anyEntry(entry) bool { return true }

// attributes are the attributes of an entry.
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
		"<": func(have, want string) bool { return number(have) < number(want) }, ">": func(have, want string) bool {
			return number(have) > number(want)
		},
		"<=": func(have, want string) bool { return number(have) <= number(want) }, ">=": func(have, want string) bool {
			return number(have) >= number(want)
		},
		"CONTAINS": strings.Contains, "BEGINSWITH": strings.HasPrefix, "ENDSWITH": strings.HasSuffix, "IN": same,
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // text that is not a number counts as zero, as in NSPredicate
	return n
}

// pattern is the regular expression of an operator that uses one.
func pattern(operator, options, text string) (*regexp.Regexp, error) {
	if strings.Contains(options, "D") {
		text = unaccented(text)
	}
	if operator == "LIKE" {
		text = regexp.QuoteMeta(text)
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, ".*"), `\?`, ".")
	}
	flags := "(?s)"
	if strings.Contains(options, "C") {
		flags = "(?is)" // not in lower case, which would turn \D into \d
	}
	return regexp.Compile(flags + "^(?:" + text + ")$")
}

// folded normalises a text for comparison: [c] to lower case, [d] without accents.
func folded(options string) func(string) string {
	return func(s string) string {
		if strings.Contains(options, "C") {
			s = strings.ToLower(s)
		}
		if strings.Contains(options, "D") {
			s = unaccented(s)
		}
		return s
	}
}

// unaccented removes the accents of letters.
func unaccented(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
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
	if p.skip("TRUEPREDICATE") {
		return anyEntry, nil
	}
	if p.skip("FALSEPREDICATE") {
		return func(entry) bool { return false }, nil
	}
	name, err1 := p.next()
	operator, err2 := p.next()
	if errors.Join(err1, err2) != nil {
		return nil, errEnd
	}
	values, err := p.values()
	if err != nil {
		return nil, err
	}
	get := attributes()[strings.ToLower(name.text)]
	word, options, _ := strings.Cut(strings.ToUpper(operator.text), "[")
	if get == nil || name.quoted || operator.quoted {
		return nil, fmt.Errorf("%q %q is not understood", name.text, operator.text)
	}
	if strings.EqualFold(name.text, "messageType") || strings.EqualFold(name.text, "logLevel") {
		options += "C"
	}
	fits, err := match(word, options, values)
	if err != nil {
		return nil, fmt.Errorf("%q %q: %w", name.text, operator.text, err)
	}
	return func(e entry) bool { return fits(get(e)) }, nil
}

// values are the right side of a comparison: one value, or for IN the values in braces.
func (p *parser) values() (all []string, err error) {
	braces := p.skip("{")
	for {
		v, err := p.next()
		if err != nil || !v.quoted && strings.ContainsAny(v.text, brackets) {
			return nil, errEnd
		}
		all = append(all, v.text)
		switch {
		case !braces:
			return all, nil
		case p.skip("}"):
			return all, nil
		case !p.skip(","):
			return nil, errors.New("missing , or }")
		}
	}
}

// errOperator means an unknown operator, or an operator that does not fit these values.
var errOperator = errors.New("no such comparison")

// match compares with one of the values; all are folded.
func match(operator, options string, values []string) (func(string) bool, error) {
	compare, fold := comparisons()[operator], folded(options)
	isPattern := operator == "LIKE" || operator == "MATCHES"
	if len(values) > 1 && operator != "IN" || compare == nil && !isPattern {
		return nil, errOperator
	}
	if isPattern {
		re, err := pattern(operator, options, values[0])
		if err != nil {
			return nil, err
		}
		return func(have string) bool { return re.MatchString(fold(have)) }, nil
	}
	return func(have string) bool {
		return slices.ContainsFunc(values, func(want string) bool { return compare(fold(have), fold(want)) })
	}, nil
}
