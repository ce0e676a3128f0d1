package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/op"
)

// inputs is the table of what an operation takes.
func inputs(o op.Op) string {
	t := table{head: []string{"input", "type", "required", "default", "values", "meaning"}}
	for _, f := range o.Fields() {
		required := ""
		if f.Required && f.Default == "" {
			required = "yes"
		}
		t.add(code(f.Name), kindWord(f.Kind), required, code(f.Default), values(f), f.Doc)
	}
	return t.String()
}

func kindWord(k op.Kind) string {
	if k == op.Strings {
		return "list of string"
	}
	return string(k)
}

// values says what a field may be: the words there are, or bounds, or a pattern.
func values(f op.Field) string {
	switch {
	case len(f.Enum) > 0:
		return "`" + strings.Join(f.Enum, "`, `") + "`"
	case f.Match != nil:
		return code(f.Match.String())
	case f.Min != nil && f.Max != nil:
		return number(*f.Min) + " to " + number(*f.Max)
	case f.Min != nil:
		return "≥ " + number(*f.Min)
	case f.Max != nil:
		return "≤ " + number(*f.Max)
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// answerFields is the table of what an operation answers, objects and lists of objects opened by one level.
func answerFields(o op.Op) string {
	t := table{head: []string{"answer", "type", "meaning"}}
	s := o.OutputSchema()
	for _, name := range order(s) {
		inner := s.Properties[name]
		if name == "meta" {
			continue
		}
		t.add(code(name), typeOf(inner, s, name), inner.Description)
		prefix := name + "."
		if inner.Items != nil {
			inner, prefix = inner.Items, name+"[]."
		}
		for _, sub := range order(inner) {
			t.add(code(prefix+sub), typeOf(inner.Properties[sub], inner, sub), inner.Properties[sub].Description)
		}
	}
	return t.String()
}

func typeOf(s, parent *jsonschema.Schema, name string) string {
	word := typeWord(s)
	if !slices.Contains(parent.Required, name) {
		word += ", optional"
	}
	return word
}

func typeWord(s *jsonschema.Schema) string {
	types := slices.DeleteFunc(append(slices.Clone(s.Types), s.Type), func(t string) bool { return t == "" || t == "null" })
	word := strings.Join(types, " or ")
	switch {
	case word == "array" && s.Items != nil:
		return "list of " + typeWord(s.Items)
	case word == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil:
		return fmt.Sprintf("map of %s", typeWord(s.AdditionalProperties))
	case word == "":
		return "any"
	}
	return word
}
