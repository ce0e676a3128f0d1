package config

import (
	"fmt"
	"slices"
	"strings"
)

// remedy is the hint for missing arguments: session_set_defaults for arguments with a default, otherwise an input of the call.
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

// placeholders has an example value for each kind.
var placeholders = map[Kind]string{Text: `"..."`, Flag: "true", Choice: `"..."`, Map: "{}", List: "[]"}

func example(keys []string) string {
	parts := make([]string, len(keys))
	for i, name := range keys {
		k, _ := theirs.Lookup(name)
		parts[i] = fmt.Sprintf("%q: %s", name, placeholders[k.Kind])
	}
	return fmt.Sprintf("%s { %s }", Tool, strings.Join(parts, ", "))
}
