// Package config holds a client's configuration: the values that a session need not repeat in every call, and settings of tools. Four
// layers give a value, highest first: the tool call, session_set_defaults, the project's .ios-agent/config.yaml, the environment. Every
// value has its origin, so that a caller sees why a build took the wrong scheme. Store is the main type.
//
// The package handles keys, layers and two files. It must not know operations, devices or surfaces: a tool passes a Spec and gets its
// arguments back, completed; other packages define the meaning of keys of their own (device/choice).
package config

import (
	"maps"
	"slices"
)

// Source is the layer a value came from.
type Source string

// The layers, highest first.
const (
	FromCall    Source = "call"
	FromSession Source = "session"
	FromConfig  Source = "config"
	FromEnv     Source = "env"
	// FromDevice is below them all: the device that the session works with.
	FromDevice Source = "the session's device"
)

// Tool is the operation that sets session defaults; hints and origins name it.
const Tool = "session_set_defaults"

// Global is the label of the profile that has no name. It is accepted wherever a profile is asked for.
const Global = "(default)"

// Origin says where a value came from: the layer, and the file, variable or operation within it.
type Origin struct {
	Source Source `json:"source"`
	From   string `json:"from,omitempty"`
}

// Value is a value and where it came from. A string, bool, []string or map[string]string for the keys of the table;
// whatever the caller sent for other arguments.
type Value struct {
	Value any `json:"value"`
	Origin
	// With are the origins below that env and extraArgs also drew from; other values have exactly one origin.
	With []Origin `json:"with,omitempty"`
}

// clone keeps callers from changing lists and maps inside the store.
func clone(value any) any {
	switch v := value.(type) {
	case []string:
		return slices.Clone(v)
	case map[string]string:
		return maps.Clone(v)
	}
	return value
}

func label(profile string) string {
	if profile == "" {
		return Global
	}
	return profile
}
