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

// brackets are tokens by themselves.
const brackets = "(){},"

// signs are the characters of operators.
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

// oneToken takes the first token of a non-empty text.
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

// signToken takes an operator made of signs, including a [c] after it; a lone ! may precede anything.
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
