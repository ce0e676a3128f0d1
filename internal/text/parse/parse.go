// Package parse recognizes the output of a tool and reads it. A Kind recognizes and reads one kind of output; Kinds.Find chooses the kind
// that is most certain of an input, or the kind that the caller names. The package does not know any format: apple/kinds lists the readers.
package parse

import (
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Kind is something that can be read.
type Kind struct {
	Name    string // as in --kind: ui-tree, build-log, …
	Summary string // what it is, for help
	// Sniff says how certain it is that these bytes are of this kind: 0 is not at all, 100 is beyond doubt. It is cheap,
	// never panics, and may look at a part of the input only.
	Sniff func([]byte) int
	// Read reads all of it. Input that it cannot read is a fault with the place; it keeps parts that it does not know.
	Read func([]byte) (Result, error)
}

// Result is what was read.
type Result interface {
	// Text is for people and models: at most about that many lines, 0 for no cap. It says what it leaves out.
	Text(lines int) string
	// Value is everything that was read, for encoding/json; no cap applies.
	Value() any
}

// Kinds are all that can be read. Where two are equally certain, the earlier one is chosen.
type Kinds []Kind

// Names lists them.
func (k Kinds) Names() []string {
	names := make([]string, len(k))
	for i := range k {
		names[i] = k[i].Name
	}
	return names
}

// Find gives the kind of this name or, without one, the kind that is most certain of the input.
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
