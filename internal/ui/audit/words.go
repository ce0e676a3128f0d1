package audit

import (
	"strings"
	"unicode"

	"ios-agent/internal/text/lazyregexp"
)

// The parts of a text that change with an app's content, at any position.
var (
	uuids   = lazyregexp.New(`(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}`)
	dates   = lazyregexp.New(`\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}`)
	prices  = lazyregexp.New(`[$€£¥₩₹]\s?\d|\d[\d.,]*\s?[$€£¥₩₹%]`)
	memory  = lazyregexp.New(`0x[0-9a-fA-F]{4,}`)
	numbers = lazyregexp.New(`(^|[^A-Za-z0-9])\d+($|[^A-Za-z0-9])`)
	digits  = lazyregexp.New(`\d+`)

	innerNumber = lazyregexp.New(`^[A-Za-z]+\d+[A-Za-z]+$`)
)

// leastUUID is the least length of a text with a UUID; most texts are shorter and need no search.
const leastUUID = 32

// changes names the part of a text that changes with the content; empty if none is found.
func changes(text string) string {
	if !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	switch {
	case len(text) >= leastUUID && uuids.MatchString(text):
		return "a UUID"
	case memory.MatchString(text):
		return "an address"
	case prices.MatchString(text):
		return "a price"
	case dates.MatchString(text):
		return "a date or time"
	case numbers.MatchString(text):
		return "a number"
	}
	return ""
}

// general is a text without the parts that change with the content.
func general(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if !strings.ContainsAny(text, "0123456789") {
		return text
	}
	if len(text) >= leastUUID {
		text = uuids.ReplaceAllString(text, "#")
	}
	return digits.ReplaceAllString(text, "#")
}

// words are the words of a text that can become an identifier: ASCII letters without numbers. A capital after a small letter begins a new
// word.
func words(text string) (all []string) {
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			all = append(all, strings.ToLower(text[begin:i]))
		}
		begin = -1
	}
	lower := false
	for i, r := range text {
		letter := r < unicode.MaxASCII && unicode.IsLetter(r)
		if !letter || lower && unicode.IsUpper(r) {
			end(i)
		}
		if letter && begin < 0 {
			begin = i
		}
		lower = letter && unicode.IsLower(r)
	}
	end(len(text))
	return all
}

// mostWords is the maximum number of words in a part of an identifier.
const mostWords = 4

// titleWords are the words of a title; a number within one, as in a11y, stays.
func titleWords(title string) (all []string) {
	for _, field := range strings.Fields(title) {
		if inner := innerNumber.FindString(field); inner == field {
			all = append(all, strings.ToLower(field))
		} else {
			all = append(all, words(field)...)
		}
	}
	return all
}

// camel joins words into one part of an identifier.
func camel(all []string) string {
	var b strings.Builder
	for i, w := range all[:min(len(all), mostWords)] {
		if i > 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	return b.String()
}

// Key turns a text into the key of an identifier: every character except letters, digits, underscores, dots and hyphens becomes an
// underscore.
func Key(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, text)
}

// keyless is an identifier without its key. A developer chooses the key freely: it identifies a row.
func keyless(identifier string) string {
	if base, _, keyed := strings.Cut(identifier, "["); keyed && base != "" && strings.HasSuffix(identifier, "]") {
		return base
	}
	return identifier
}

// sentence joins words as a person writes them.
func sentence(all []string) string {
	text := strings.Join(all, " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
