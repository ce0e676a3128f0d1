package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ios-agent/internal/op"
)

// A phrase is a piece of text in several versions, the best first. The first version whose names all exist is used; without one, the phrase
// is left out. Names are in braces: {tap} is an operation, {a|b} the first of these that exists, {tap.udid} an input of an operation.
type phrase []string

var inBraces = regexp.MustCompile(`\{([a-z0-9_|]+)(?:\.([a-z0-9_]+))?\}`)

func (p phrase) in(c *op.Catalogue) string {
	for _, version := range p {
		if text, ok := fill(c, version); ok {
			return text
		}
	}
	return ""
}

func fill(c *op.Catalogue, text string) (string, bool) {
	all := true
	out := inBraces.ReplaceAllStringFunc(text, func(braced string) string {
		m := inBraces.FindStringSubmatch(braced)
		name, ok := firstOf(c, strings.Split(m[1], "|"), m[2])
		all = all && ok
		return code(name)
	})
	return out, all
}

// firstOf is the first operation that exists, or its input if one is requested.
func firstOf(c *op.Catalogue, names []string, input string) (string, bool) {
	for _, name := range names {
		o, err := c.Lookup(name)
		switch {
		case err != nil:
		case input == "":
			return name, true
		case slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == input }):
			return input, true
		}
	}
	return "", false
}

// said are the phrases with at least one usable version.
func said(c *op.Catalogue, phrases []phrase) []string {
	var lines []string
	for _, p := range phrases {
		if text := p.in(c); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

func paragraphs(c *op.Catalogue, phrases ...phrase) string {
	return strings.Join(said(c, phrases), "\n\n")
}

func bullets(c *op.Catalogue, phrases ...phrase) string {
	return "- " + strings.Join(said(c, phrases), "\n- ")
}

func steps(c *op.Catalogue, phrases ...phrase) string {
	var lines []string
	for i, text := range said(c, phrases) {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	return strings.Join(lines, "\n")
}
