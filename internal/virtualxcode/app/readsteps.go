package app

import "github.com/goccy/go-yaml/ast"

// cond returns a reader of a condition.
func (r *reader) cond(target *Cond, what string) func(ast.Node) {
	return func(n ast.Node) {
		r.each(n, what, func(name string, at, value ast.Node) {
			t := Test{Var: name, Equal: scalar(value)}
			if yes, ok := emptyWords()[t.Equal]; ok {
				t.Empty, t.Equal = &yes, nil
			}
			*target = append(*target, t)
			r.later = append(r.later, func() { r.checkTest(at, t) })
		})
	}
}

// emptyWords are the words a condition may use instead of a value.
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

// step reads one step: exactly one of the keys that name an action, and do and else beside when.
func (r *reader) step(n ast.Node, depth int) Step {
	var found []Step
	var when When
	var branches int
	branch := func(target *[]Step) func(ast.Node) {
		return func(n ast.Node) { branches++; r.steps(target, depth+1)(n) }
	}
	r.mapping(n, "a step", keys{
		"set":  func(v ast.Node) { found = append(found, Set(r.assigns(v, "set", nil))) },
		"add":  func(v ast.Node) { found = append(found, Add(r.assigns(v, "add", 0.0))) },
		"go":   func(v ast.Node) { found = append(found, r.goStep(v)) },
		"back": func(v ast.Node) { found = append(found, r.backStep(v)) },
		"when": func(v ast.Node) { r.cond(&when.If, "when")(v); found = append(found, when) },
		"do":   branch(&when.Do),
		"else": branch(&when.Else),
	})
	if len(found) != 1 {
		r.fail(n, "a step needs exactly one of add, back, go, set, when; this one has %d", len(found))
		return nil
	}
	if _, conditional := found[0].(When); conditional {
		return when
	}
	if branches > 0 {
		r.fail(n, "do and else belong to when")
	}
	return found[0]
}

// assigns reads variables and values; like is a value of the type the variables must have, nil for any.
func (r *reader) assigns(n ast.Node, what string, like any) (out []Assign) {
	r.each(n, what, func(name string, at, value ast.Node) {
		a := Assign{Var: name, Value: scalar(value)}
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

func (r *reader) goStep(n ast.Node) Step {
	var screen string
	r.into(&screen, "go")(n)
	r.later = append(r.later, func() { r.checkScreen(n, "go", screen) })
	return Go(screen)
}

func (r *reader) backStep(n ast.Node) Step {
	if scalar(n) != true {
		r.fail(n, "back takes true and nothing else")
	}
	return Back{}
}
