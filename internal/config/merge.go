package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/fault"
)

// Merge completes a tool's arguments with the active profile's defaults. The order of the steps is part of the contract: each step works on
// the result of the step before.
func (s *Store) Merge(spec Spec, args map[string]any) (Merged, error) {
	s.mu.Lock()
	name := s.current()
	below := s.effective(name)
	s.mu.Unlock()

	given, err := s.given(spec, args)
	if err != nil {
		return Merged{}, err
	}
	if err := spec.conflict(given); err != nil {
		return Merged{}, err
	}
	below = spec.applicable(below, given)
	values := overlay(below, given)
	spec.prune(values, given)
	spec.keepFirst(values, given)
	if err := spec.require(values); err != nil {
		return Merged{}, err
	}
	return Merged{label(name), values}, nil
}

// given is step 1: the arguments that the caller really gave. Null and a blank string never override a default.
func (f folders) given(spec Spec, args map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, v := range args {
		if v == nil || blank(v) && spec.matters(name) {
			continue
		}
		k, known := f.keys.Lookup(name)
		if !known || !spec.takes(name) {
			out[name] = v
			continue
		}
		k.Kind, k.Choices = open(k.Kind), nil
		normal, err := f.normal(k, v)
		if err != nil {
			return nil, err
		}
		out[name] = normal
	}
	return out, nil
}

// open makes a choice a plain text, so that the tool's own schema checks it: a tool may accept values that cannot be defaults.
func open(k Kind) Kind {
	if k == Choice {
		return Text
	}
	return k
}

// conflict is step 2: two members of a group from the caller are a mistake that only the caller can resolve.
func (s Spec) conflict(given map[string]any) error {
	for _, group := range s.groups() {
		if both := present(group, given); len(both) > 1 {
			reason := fmt.Sprintf("Mutually exclusive parameters provided: %s. Provide only one.", strings.Join(both, ", "))
			return fault.New(fault.InvalidInput, "%s: %s", Invalid, reason).
				With("title", Invalid).With("reason", reason).With("parameters", both).
				WithHint("leave out all but one of %s", strings.Join(both, ", "))
		}
	}
	return nil
}

// applicable is step 3: the defaults that the tool takes, without the defaults that do not apply to this call.
func (s Spec) applicable(below map[string]Value, given map[string]any) map[string]Value {
	out := maps.Clone(below)
	maps.DeleteFunc(out, func(key string, _ Value) bool { return !s.takes(key) })
	for _, d := range s.Drop {
		if !d.applies(given) {
			continue
		}
		for _, key := range d.Keys {
			delete(out, key)
		}
		strip(out, d.Options)
	}
	return out
}

// strip removes options from the default extraArgs, and extraArgs itself when it becomes empty.
func strip(values map[string]Value, options []string) {
	v, has := values[extraArgs]
	if !has || len(options) == 0 {
		return
	}
	left := xcodeargs.Without(v.Value.([]string), options...)
	if len(left) == 0 {
		delete(values, extraArgs)
		return
	}
	v.Value = left
	values[extraArgs] = v
}

// overlay is step 4. env is merged name by name, extraArgs option by option; for all other keys, the caller's value wins.
func overlay(below map[string]Value, given map[string]any) map[string]Value {
	out := maps.Clone(below)
	for name, v := range given {
		value := Value{Value: v, Origin: Origin{Source: FromCall}}
		if combine, special := combiners[name]; special {
			if under, has := below[name]; has {
				value = combine(under, value)
			}
		}
		out[name] = value
	}
	return out
}

// prune is step 5: a member of a group from the caller removes the defaults of the other members.
func (s Spec) prune(values map[string]Value, given map[string]any) {
	for _, group := range s.groups() {
		if len(present(group, given)) == 0 {
			continue
		}
		for _, name := range group {
			if values[name].Source != FromCall {
				delete(values, name)
			}
		}
	}
}

// keepFirst is step 6: of several members that are all defaults, the first in rank stays.
func (s Spec) keepFirst(values map[string]Value, given map[string]any) {
	for _, group := range s.groups() {
		left := present(group, values)
		if len(left) < 2 || len(present(group, given)) > 0 {
			continue
		}
		for _, name := range slices.Clone(left)[1:] {
			delete(values, name)
		}
	}
}
