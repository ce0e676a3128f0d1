// Package parse recognizes the output of a tool and reads it. A Kind recognizes and reads one kind of output; Kinds.Find chooses the kind
// that is most certain of an input, or the kind that the caller names. The package does not know any format: apple/kinds lists the readers.
package parse

import (
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Kind is a kind of output, with its recognizer and its reader.
type Kind struct {
	Name    string // as in --kind: ui-tree, build-log, …
	Summary string // description for help
	// Sniff returns how certain it is that the input is of this kind, from 0 (not at all) to 100 (beyond doubt). It is cheap, never panics,
	// and may look at only a part of the input.
	Sniff func([]byte) int
	// Read reads the whole input. For input that it cannot read, it returns a fault with the place; it keeps parts that it does not know.
	Read func([]byte) (Result, error)
}

// Result is the content of an input.
type Result interface {
	// Text is for people and models. It has about the given maximum number of lines, 0 for no maximum, and says what it omits.
	Text(lines int) string
	// Value is the whole content, for encoding/json; no maximum applies.
	Value() any
}

// Kinds are all known kinds. Of two that are equally certain, Find chooses the earlier one.
type Kinds []Kind

// Names returns the names of the kinds.
func (k Kinds) Names() []string {
	names := make([]string, len(k))
	for i := range k {
		names[i] = k[i].Name
	}
	return names
}

// Find returns the kind with this name or, without a name, the kind that is most certain of the input.
func (k Kinds) Find(name string, input []byte) (Kind, error) {
	var best Kind
	certain := 0
	for _, kind := range k {
		if name != "" && kind.Name == name {
			return kind, nil
		}
		if name == "" {
			if c := kind.Sniff(input); c > certain {
				best, certain = kind, c
			}
		}
	}
	all := strings.Join(k.Names(), ", ")
	switch {
	case name != "":
		f := fault.New(fault.InvalidInput, "unknown kind %q", name).With("kinds", k.Names()).WithHint("the kinds are: %s", all)
		if near := nearest.To(name, k.Names(), 1); len(near) > 0 {
			return Kind{}, f.WithHint("did you mean %s? The kinds are: %s", near[0], all)
		}
		return Kind{}, f
	case certain == 0:
		return Kind{}, fault.New(fault.ParseFailed, "cannot recognise the kind of this input").With("kinds", k.Names()).
			WithHint("name its kind with %s: %s", hint.Field("kind"), all)
	}
	return best, nil
}
