package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// reader converts YAML nodes to a definition and collects the problems. A value with a problem stays zero: a definition with problems
// is not used.
type reader struct {
	app      *App
	problems Problems
	later    []func() // checks that need the whole file, such as whether a screen exists
	seen     map[Problem]bool
	params   *strings.Replacer // values that a repeat inserts into strings; nil outside of a repeat
	count    int               // elements so far
	depth    int               // of containers in containers
}

func (r *reader) fail(at ast.Node, format string, args ...any) {
	p := Problem{Line: 1, Message: fmt.Sprintf(format, args...)}
	if t := at.GetToken(); t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	if r.seen[p] { // in every copy of a repeat
		return
	}
	r.seen[p] = true
	r.problems = append(r.problems, p)
}

// keys maps each key of a mapping to its reader.
type keys map[string]func(ast.Node)

func (k keys) names() string { return strings.Join(slices.Sorted(maps.Keys(k)), ", ") }

// mapping reads n by the table; what names the mapping in messages.
func (r *reader) mapping(n ast.Node, what string, table keys) {
	r.each(n, what, func(key string, at, value ast.Node) {
		read, known := table[key]
		if !known {
			r.fail(at, "unknown key %q of %s: known keys are %s", key, what, table.names())
			return
		}
		read(value)
	})
}

// each calls f for every entry of the mapping n.
func (r *reader) each(n ast.Node, what string, f func(key string, at, value ast.Node)) {
	entries, ok := mappingEntries(n)
	if !ok {
		r.fail(n, "%s must be a mapping of keys to values", what)
		return
	}
	seen := map[string]bool{}
	for _, e := range entries {
		key, ok := e.Key.(*ast.StringNode)
		if !ok || e.Value == nil {
			r.fail(e, "a key of %s must be a plain word with a value", what)
			continue
		}
		if seen[key.Value] {
			r.fail(key, "duplicate key %q of %s", key.Value, what)
			continue
		}
		seen[key.Value] = true
		f(key.Value, key, e.Value)
	}
}

func mappingEntries(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// list calls f for every item of the sequence n.
func (r *reader) list(n ast.Node, what string, f func(ast.Node)) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, "%s must be a list", what)
		return
	}
	for _, item := range seq.Values {
		if item == nil {
			r.fail(n, "%s has an empty item", what)
			continue
		}
		f(item)
	}
}

// into returns a reader of one string.
func (r *reader) into(target *string, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n).(string)
		if !ok {
			r.fail(n, "%s must be a string: put it in quotes", what)
			return
		}
		*target = text
	}
}

// text returns a reader of a text. Its references are checked after all variables are known.
func (r *reader) text(target *Text, what string) func(ast.Node) {
	return func(n ast.Node) {
		var s string
		r.into(&s, what)(n)
		*target = Text(s)
		r.later = append(r.later, func() { r.checkReferences(n, *target) })
	}
}

// strings returns a reader of a list of strings.
func (r *reader) strings(target *[]string, what string) func(ast.Node) {
	return func(n ast.Node) {
		r.list(n, what, func(item ast.Node) {
			var s string
			r.into(&s, what)(item)
			*target = append(*target, s)
		})
	}
}

// number returns a reader of one number.
func (r *reader) number(target *float64, what string) func(ast.Node) {
	return readScalar(r, target, what)
}

// boolean returns a reader of true or false.
func (r *reader) boolean(target *bool, what string) func(ast.Node) {
	return readScalar(r, target, what)
}

func readScalar[T any](r *reader, target *T, what string) func(ast.Node) {
	return func(n ast.Node) {
		v, ok := r.scalar(n).(T)
		if !ok {
			r.fail(n, "%s must be %s", what, typeName(*target))
			return
		}
		*target = v
	}
}

// scalar reads the value of a variable, with the insertions of a repeat; nil for other values.
func (r *reader) scalar(n ast.Node) any {
	v := scalar(n)
	if text, ok := v.(string); ok && r.params != nil {
		return r.params.Replace(text)
	}
	return v
}

func scalar(n ast.Node) any {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return v.Value.Value
	case *ast.BoolNode:
		return v.Value
	case *ast.IntegerNode:
		return number(v.Value)
	case *ast.FloatNode:
		return v.Value
	}
	return nil
}

func number(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return nil
}

func (r *reader) checkReferences(at ast.Node, t Text) {
	t.scan(func(string) {}, func(name string) { r.variable(at, name) })
}

// variable returns the initial value of a variable, or reports that it is unknown.
func (r *reader) variable(at ast.Node, name string) (any, bool) {
	v, ok := r.app.State[name]
	if initial := given(name); !ok && initial != nil {
		r.app.State[name] = initial
		return initial, true
	}
	if !ok {
		r.fail(at, "unknown variable %q: declare it under state", name)
	}
	return v, ok
}
