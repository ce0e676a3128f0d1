package config

import (
	"fmt"
	"strings"

	"ios-agent/internal/fault"
)

// Titles of mistakes in a call. They are XcodeBuildMCP's, and its clients look for them.
const (
	Invalid           = "Parameter validation failed"
	MissingDefaults   = "Missing required session defaults"
	MissingParameters = "Missing required parameters"
)

func invalid(field, format string, args ...any) *fault.Fault {
	reason := fmt.Errorf(format, args...)
	return fault.New(fault.InvalidInput, "%s: %s: %w", Invalid, field, reason).With("field", field)
}

// normal checks one value of a call and normalises it.
func (f folders) normal(k Key, value any) (any, error) {
	v, err := k.accept(value)
	if err != nil {
		return nil, invalid(k.Name, "%w", err)
	}
	if v, err = f.place(k, v); err != nil {
		return nil, invalid(k.Name, "%w", err)
	}
	return v, nil
}

func (f folders) place(k Key, value any) (any, error) {
	if !k.Path {
		return value, nil
	}
	return f.resolve(value.(string))
}

// checked returns the values of a session_set_defaults call, normalised: known keys, right types, at most one key of each group.
func (f folders) checked(values map[string]any) (map[string]any, error) {
	out, err := f.normalised(values)
	if err != nil {
		return nil, err
	}
	return out, bothSides(out)
}

// normalised omits blank values and normalises the others.
func (f folders) normalised(values map[string]any) (map[string]any, error) {
	for name := range values {
		if _, known := f.keys.Lookup(name); !known {
			return nil, f.keys.unknown(name)
		}
	}
	out := map[string]any{}
	for _, k := range f.keys {
		if blank(values[k.Name]) {
			continue
		}
		v, err := f.normal(k, values[k.Name])
		if err != nil {
			return nil, err
		}
		out[k.Name] = v
	}
	return out, nil
}

func bothSides(values map[string]any) error {
	for _, group := range Groups() {
		if given := present(group, values); len(given) > 1 {
			return invalid(given[0], "%s are mutually exclusive", strings.Join(given, " and ")).
				WithHint("give one of them; the other is then cleared")
		}
	}
	return nil
}

func present[V any](names []string, values map[string]V) []string {
	var found []string
	for _, name := range names {
		if _, has := values[name]; has {
			found = append(found, name)
		}
	}
	return found
}
