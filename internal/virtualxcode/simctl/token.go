package simctl

import (
	"errors"
	"strings"
	"unicode"
)

// token is a word, an operator, a parenthesis or a quoted text of a predicate.
type token struct {
	text   string
	quoted bool
}

// brackets are tokens of their own.
const brackets = "(){},"

// signs are what operators other than words are made of.
const signs = "=!<>&|"

func tokenize(text string) (all []token, err error) {
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return all, nil
		}
		var t token
		if t, text, err = oneToken(text); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
}

// oneToken takes the first token off a text that is not empty.
func oneToken(text string) (token, string, error) {
	switch c := text[0]; {
	case c == '"' || c == '\'':
		return quotedToken(text)
	case strings.IndexByte(brackets, c) >= 0:
		return token{text: text[:1]}, text[1:], nil
	}
	if strings.IndexByte(signs, text[0]) >= 0 {
		return signToken(text)
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(brackets+"\"'"+signs, r) })
	if end < 0 {
		end = len(text)
	}
	return token{text: text[:end]}, text[end:], nil
}

// signToken takes an operator made of signs, with the [c] behind it; a lone ! may stand before anything.
func signToken(text string) (token, string, error) {
	end := 1
	for end < len(text) && strings.IndexByte(signs, text[end]) >= 0 {
		end++
	}
	if close := strings.IndexByte(text[end:], ']'); end < len(text) && text[end] == '[' && close > 0 {
		end += close + 1
	}
	return token{text: text[:end]}, text[end:], nil
}

func quotedToken(text string) (token, string, error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return token{text: b.String(), quoted: true}, text[i+1:], nil
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return token{}, "", errors.New("a quote is not closed")
}
