package app

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

func (r *reader) checkStyle(n ast.Node, e *Element, rule kindRule) {
	if e.Style == "" || slices.Contains(rule.styles, e.Style) {
		return
	}
	if len(rule.styles) == 0 {
		r.fail(n, "a %s has no styles", e.Kind)
		return
	}
	r.fail(n, "unknown style %q of a %s: known styles are %s", e.Style, e.Kind, strings.Join(rule.styles, ", "))
}

func (r *reader) checkBind(n ast.Node, e *Element, rule kindRule) {
	switch {
	case rule.binds == nil && e.Bind != "":
		r.fail(n, "a %s cannot bind a variable", e.Kind)
	case rule.binds != nil && e.Bind == "":
		r.fail(n, "a %s needs bind: the variable it edits", e.Kind)
	case rule.binds != nil:
		r.later = append(r.later, func() { r.checkVariable(n, "bind", e.Bind, rule.binds) })
	}
	r.wants(n, "filter", e.Filter, "")
}

// checkVariable checks the type of a variable; what names its user.
func (r *reader) checkVariable(at ast.Node, what, name string, like any) {
	if v, ok := r.variable(at, name); ok && !sameType(v, like) {
		r.fail(at, "%s needs %s variable: %q is %s", what, typeName(like), name, typeName(v))
	}
}

// checkOptions requires options that include the variable's initial value.
func (r *reader) checkOptions(n ast.Node, e *Element, rule kindRule) {
	if !rule.may("options") {
		return
	}
	if len(e.Options) == 0 {
		r.fail(n, "a %s needs options: the values one can choose", e.Kind)
		return
	}
	r.later = append(r.later, func() {
		if v, ok := r.app.State[e.Bind].(string); ok && !slices.Contains(e.Options, v) {
			r.fail(n, "variable %q starts as %q: it must be one of the options", e.Bind, v)
		}
	})
}

// checkNumbers sets defaults.
func (r *reader) checkNumbers(n ast.Node, e *Element, rule kindRule) {
	if e.Range.Max == 0 {
		e.Range.Max = rule.ranges.Max
	}
	if e.Range.Step == 0 {
		e.Range.Step = rule.ranges.Step
	}
	if e.Height == 0 {
		e.Height = rule.height
	}
	if e.Range.Min > e.Range.Max || rule.may("max") && e.Range.Min == e.Range.Max {
		r.fail(n, "min is %g: it must be less than max, which is %g", e.Range.Min, e.Range.Max)
	}
	if e.Range.Step < 0 || tooLong(e.Width) || tooLong(e.Height) {
		r.fail(n, "step, width and height cannot be less than zero, nor a length more than %d points", longest)
	}
}

const longest = 2000

func tooLong(length float64) bool { return !(length >= 0 && length <= longest) }

func (r *reader) hold(n ast.Node) *Hold {
	h := &Hold{Seconds: 0.5}
	r.mapping(n, "hold", keys{"seconds": r.number(&h.Seconds, "seconds"), "do": r.steps(&h.Do, 0)})
	return h
}

func (r *reader) swipe(n ast.Node) *Swipe {
	s := &Swipe{Min: 20}
	r.mapping(n, "swipe", keys{"into": r.into(&s.Into, "into"), "min": r.number(&s.Min, "min"), "do": r.steps(&s.Do, 0)})
	r.wants(n, "into", s.Into, "")
	return s
}

func (r *reader) pinch(n ast.Node) *Pinch {
	p := &Pinch{}
	r.mapping(n, "pinch", keys{"into": r.into(&p.Into, "into"), "do": r.steps(&p.Do, 0)})
	r.wants(n, "into", p.Into, 0.0)
	return p
}

func (r *reader) drop(n ast.Node) *Drop {
	d := &Drop{}
	r.mapping(n, "drop", keys{"into": r.into(&d.Into, "into"), "do": r.steps(&d.Do, 0)})
	r.wants(n, "into", d.Into, "")
	return d
}

// wants checks, after all variables are known, that a named variable has like's type.
func (r *reader) wants(at ast.Node, what, name string, like any) {
	if name != "" {
		r.later = append(r.later, func() { r.checkVariable(at, what, name, like) })
	}
}

func (r *reader) point(n ast.Node) *Spot {
	s := &Spot{}
	r.mapping(n, "point", keys{"x": r.into(&s.X, "x"), "y": r.into(&s.Y, "y")})
	r.later = append(r.later, func() {
		r.checkVariable(n, "point", s.X, 0.0)
		r.checkVariable(n, "point", s.Y, 0.0)
	})
	return s
}
