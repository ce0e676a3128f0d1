package config

import (
	"slices"
	"strings"

	"ios-agent/internal/hint"
)

// remedy says how to fulfil a requirement: with session_set_defaults for what has a default, else in the call.
func remedy(missing []string, alternatives bool) string {
	var settable, other []string
	for _, name := range missing {
		if Completes(name) {
			settable = append(settable, name)
		} else {
			other = append(other, name)
		}
	}
	var ways []string
	if len(settable) > 0 {
		ways = append(ways, "Set with: "+calls(settable, alternatives))
	}
	if len(other) > 0 {
		ways = append(ways, "Pass in the call: "+strings.Join(other, ", "))
	}
	if alternatives {
		return strings.Join(ways, " OR ")
	}
	return strings.Join(ways, "; ")
}

// calls returns examples of session_set_defaults: one for all keys or, for alternatives, one for each key.
func calls(keys []string, alternatives bool) string {
	groups := [][]string{keys}
	if alternatives {
		groups = slices.Collect(slices.Chunk(keys, 1))
	}
	parts := make([]string, len(groups))
	for i, group := range groups {
		parts[i] = example(group)
	}
	return strings.Join(parts, " OR ")
}

func example(keys []string) string {
	input := map[string]any{}
	for _, name := range keys {
		word := upperSnake(name) // for the reader to replace
		switch k, _ := theirs.Lookup(name); k.Kind {
		case Flag:
			input[name] = true
		case Map:
			input[name] = map[string]string{"NAME": "VALUE"}
		case List:
			input[name] = []string{word}
		default:
			input[name] = word
		}
	}
	return hint.Of(Tool, input)
}
