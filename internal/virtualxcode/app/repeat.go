package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const maxElements = 20_000 // maximum elements of an app, including repeated ones

// repeated is the value of an item's repeat, or nil.
func repeated(item ast.Node) ast.Node {
	entries, ok := mappingEntries(item)
	if !ok || len(entries) != 1 {
		return nil
	}
	if key, ok := entries[0].Key.(*ast.StringNode); ok && key.Value == "repeat" {
		return entries[0].Value
	}
	return nil
}

// repeat reads an element several times. In its strings {index} is a running number, and {item} is an item of a list. The insertion
// happens while reading, so that every copy has its own id and key.
func (r *reader) repeat(item, body ast.Node, place string, taken map[string]bool, before int) (out []*Element) {
	if r.params != nil {
		r.fail(item, "a repeat cannot be in a repeat")
		return nil
	}
	var of []string
	var each ast.Node
	count, from := 0.0, 1.0
	r.mapping(body, "repeat", keys{
		"count": r.number(&count, "count"),
		"from":  r.number(&from, "from"),
		"of":    r.strings(&of, "of"),
		"each":  func(n ast.Node) { each = n },
	})
	if of != nil && count == 0 {
		count = float64(len(of))
	}
	if each == nil || !(count >= 0 && count <= maxElements) || !(from >= -maxElements && from <= maxElements) {
		r.fail(item, "a repeat needs each, and a count of at most %d or a list of", maxElements)
		return nil
	}
	defer func() { r.params = nil }()
	for i := range int(count) {
		r.params = params(int(from)+i, of, i)
		out = append(out, r.element(each, fmt.Sprintf("%s#%d", place, before+i), taken))
		if r.count > maxElements {
			break
		}
	}
	return out
}

// params replaces {index} and {item}; an escaped brace stays escaped.
func params(index int, of []string, i int) *strings.Replacer {
	pairs := []string{"{{", "{{", "{index}", strconv.Itoa(index)}
	if len(of) > 0 {
		item := of[i%len(of)]
		pairs = append(pairs, "{item}", item, "{item.id}", strings.ReplaceAll(strings.ToLower(item), " ", "-"))
	}
	return strings.NewReplacer(pairs...)
}
