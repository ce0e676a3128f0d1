package app

import (
	"maps"
	"strconv"
	"strings"
)

// Vars are an app's variables by name. A value is a string, a float64 or a bool, so that Vars survive JSON.
type Vars map[string]any

// Clone is an independent copy of v.
func (v Vars) Clone() Vars { return maps.Clone(v) }

// Fits reports whether other has the same variables with the same types as v.
func (v Vars) Fits(other Vars) bool {
	return maps.EqualFunc(v, other, sameType)
}

func sameType(a, b any) bool { return typeName(a) == typeName(b) }

func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "a bool"
	}
	return "nothing"
}

func format(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func empty(v any) bool { return v == "" || v == 0.0 || v == false || v == nil }

// Text is a text with {variable} references in it.
type Text string

// Expand replaces the references by the variables' values.
func (t Text) Expand(vars Vars) string {
	if !strings.ContainsAny(string(t), "{") {
		return string(t)
	}
	var b strings.Builder
	t.scan(func(literal string) { b.WriteString(literal) }, func(name string) { b.WriteString(format(vars[name])) })
	return b.String()
}

// scan splits t into literals and variable names. An unclosed brace is literal.
func (t Text) scan(literal, variable func(string)) {
	rest := string(t)
	for {
		before, after, found := strings.Cut(rest, "{")
		literal(before)
		if !found {
			return
		}
		if escaped, ok := strings.CutPrefix(after, "{"); ok {
			literal("{")
			rest = escaped
			continue
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			literal("{" + after)
			return
		}
		variable(name)
		rest = tail
	}
}

// Cond is a condition on variables: all tests must hold, so an empty one always holds.
type Cond []Test

// Test compares one variable.
type Test struct {
	Var   string
	Equal any   // the value it must equal, unless Empty is set
	Empty *bool // whether it must be empty
}

// Holds reports whether vars meet the condition.
func (c Cond) Holds(vars Vars) bool {
	for _, t := range c {
		if !t.holds(vars[t.Var]) {
			return false
		}
	}
	return true
}

func (t Test) holds(v any) bool {
	if t.Empty != nil {
		return empty(v) == *t.Empty
	}
	return v == t.Equal
}
