package app

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// cond returns a reader of a condition.
func (r *reader) cond(target *Cond, what string) func(ast.Node) {
	return func(n ast.Node) {
		r.each(n, what, func(name string, at, value ast.Node) {
			t := Test{Var: name, Equal: r.scalar(value)}
			if yes, ok := emptyWords()[t.Equal]; ok {
				t.Empty, t.Equal = &yes, nil
			}
			*target = append(*target, t)
			r.later = append(r.later, func() { r.checkTest(at, t) })
		})
	}
}

// emptyWords are the words of a condition that stand for a test.
func emptyWords() map[any]bool { return map[any]bool{"empty": true, "notempty": false} }

func (r *reader) checkTest(at ast.Node, t Test) {
	if v, ok := r.variable(at, t.Var); ok && t.Empty == nil {
		r.checkType(at, t.Var, v, t.Equal)
	}
}

func (r *reader) checkType(at ast.Node, name string, have, want any) {
	if !sameType(have, want) {
		r.fail(at, "variable %q is %s, not %s", name, typeName(have), typeName(want))
	}
}

// steps returns a reader of a list of steps.
func (r *reader) steps(target *[]Step, depth int) func(ast.Node) {
	return func(n ast.Node) {
		if depth > maxDepth {
			r.fail(n, "steps are nested more than %d deep", maxDepth)
			return
		}
		r.list(n, "do", func(item ast.Node) {
			if s := r.step(item, depth); s != nil {
				*target = append(*target, s)
			}
		})
	}
}

// step reads one step: exactly one key that names an action; when may also have do and else.
func (r *reader) step(n ast.Node, depth int) Step {
	var found []Step
	var when *When
	table := keys{}
	for name, read := range r.stepReaders(depth) {
		table[name] = func(v ast.Node) { found = append(found, read(v)) }
	}
	var do, otherwise []Step
	table["when"] = func(v ast.Node) { when = &When{}; r.cond(&when.If, "when")(v) }
	table["do"] = r.steps(&do, depth+1)
	table["else"] = r.steps(&otherwise, depth+1)
	r.mapping(n, "a step", table)
	if when != nil {
		when.Do, when.Else = do, otherwise
		found = append(found, *when)
	} else if has(n, "do", "else") {
		r.fail(n, "do and else belong to when")
	}
	if len(found) != 1 {
		delete(table, "do")
		delete(table, "else")
		r.fail(n, "a step needs exactly one of %s; this one has %d", table.names(), len(found))
		return nil
	}
	return found[0]
}

func has(n ast.Node, names ...string) bool {
	entries, _ := mappingEntries(n)
	return slices.ContainsFunc(entries, func(e *ast.MappingValueNode) bool {
		key, ok := e.Key.(*ast.StringNode)
		return ok && slices.Contains(names, key.Value)
	})
}

// stepReaders is the table of actions; depth is the nesting of the step.
func (r *reader) stepReaders(depth int) map[string]func(ast.Node) Step {
	table := map[string]func(ast.Node) Step{
		"set":     func(v ast.Node) Step { return Set(r.assigns(v, "set", nil)) },
		"add":     func(v ast.Node) Step { return Add(r.assigns(v, "add", 0.0)) },
		"flip":    r.flipStep,
		"go":      func(v ast.Node) Step { return Go(r.screenName(v, "go")) },
		"sheet":   func(v ast.Node) Step { return Sheet(r.screenName(v, "sheet")) },
		"tab":     r.tabStep,
		"back":    func(v ast.Node) Step { r.onlyTrue(v, "back"); return Back{} },
		"dismiss": func(v ast.Node) Step { r.onlyTrue(v, "dismiss"); return Dismiss{} },
		"alert":   func(v ast.Node) Step { return r.dialog(v, false) },
		"confirm": func(v ast.Node) Step { return r.dialog(v, true) },
		"after":   func(v ast.Node) Step { return r.timer(v, "after", depth) },
		"every":   func(v ast.Node) Step { return r.timer(v, "every", depth) },
		"stop":    r.stopStep,
		"ask":     func(v ast.Node) Step { return r.askStep(v, depth) },
		"paste":   func(v ast.Node) Step { return r.pasteStep(v, depth) },
		"request": func(v ast.Node) Step { return r.requestStep(v, depth) },
		"write":   r.writeStep,
		"read":    r.readStep,
		"log":     r.logStep,
		"print":   r.printStep,
		"crash":   r.crashStep,
		"exit":    func(v ast.Node) Step { r.onlyTrue(v, "exit"); return Exit{} },
		"open":    r.openStep,
	}
	return table
}

// assigns reads variables and values; like is a value of the variables' type, nil for any.
func (r *reader) assigns(n ast.Node, what string, like any) (out []Assign) {
	r.each(n, what, func(name string, at, value ast.Node) {
		a := Assign{Var: name, Value: r.scalar(value)}
		out = append(out, a)
		r.later = append(r.later, func() { r.checkAssign(at, a, like) })
	})
	return out
}

func (r *reader) checkAssign(at ast.Node, a Assign, like any) {
	have, ok := r.variable(at, a.Var)
	if !ok {
		return
	}
	if like != nil && !sameType(have, like) {
		r.fail(at, "variable %q is %s and cannot be added to", a.Var, typeName(have))
		return
	}
	r.checkType(at, a.Var, have, a.Value)
	if text, ok := a.Value.(string); ok {
		r.checkReferences(at, Text(text))
	}
}

func (r *reader) onlyTrue(n ast.Node, what string) {
	if scalar(n) != true {
		r.fail(n, "%s must be true", what)
	}
}

// stopStep is checked against the names of all timers, which are known only at the end.
func (r *reader) stopStep(n ast.Node) Step {
	var name string
	r.into(&name, "stop")(n)
	r.later = append(r.later, func() {
		known := map[string]bool{}
		for _, t := range r.app.Timers {
			known[t.Name] = t.Name != ""
		}
		if !known[name] {
			delete(known, "")
			r.fail(n, "stop names the unknown timer %q: known are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	})
	return Stop(name)
}
