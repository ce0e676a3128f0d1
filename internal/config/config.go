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
	// FromDevice is below all layers: the device that the session works with.
	FromDevice Source = "the session's device"
)

// Tool is the operation that sets session defaults; hints and origins name it.
const Tool = "session_set_defaults"

// Global is the label of the profile without a name. Every input for a profile accepts it.
const Global = "(default)"

// Origin says where a value came from: the layer, and the file, variable or operation within it.
type Origin struct {
	Source Source `json:"source"`
	From   string `json:"from,omitempty"`
}

// Value is a value and its origin. The value of a key in the table is a string, bool, []string or map[string]string; other arguments have
// the value that the caller sent.
type Value struct {
	Value any `json:"value"`
	Origin
	// With has further, lower origins of env and extraArgs, which combine several layers; other values have exactly one origin.
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
