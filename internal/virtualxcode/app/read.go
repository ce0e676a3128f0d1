package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

func (r *reader) document(root ast.Node) {
	r.mapping(root, "the file", keys{
		"start":   r.into(&r.app.Start, "start"),
		"state":   r.state,
		"screens": r.screens,
	})
	if len(r.app.Screens) == 0 {
		r.fail(root, "there are no screens: add at least one under screens")
	}
	if r.app.Start == "" {
		r.fail(root, "start is missing: it names the screen shown at launch")
		return
	}
	r.checkScreen(root, "start", r.app.Start)
}

func (r *reader) checkScreen(at ast.Node, what, name string) {
	if r.app.Screens[name] == nil {
		r.fail(at, "%s names the unknown screen %q", what, name)
	}
}

func (r *reader) state(n ast.Node) {
	r.each(n, "state", func(name string, at, value ast.Node) {
		v := scalar(value)
		if v == nil {
			r.fail(value, "variable %q must start as a string, a number or a bool", name)
		}
		r.app.State[name] = v
	})
}

func (r *reader) screens(n ast.Node) {
	r.each(n, "screens", func(name string, at, value ast.Node) {
		s := &Screen{Name: name}
		r.app.Screens[name] = s
		r.mapping(value, fmt.Sprintf("screen %q", name), keys{
			"title":    r.text(&s.Title, "title"),
			"elements": r.elements(s),
		})
	})
}

// elements reads a screen's elements and sees to it that their keys are unique.
func (r *reader) elements(s *Screen) func(ast.Node) {
	return func(n ast.Node) {
		taken := map[string]bool{}
		r.list(n, "elements", func(item ast.Node) {
			e := r.element(item, fmt.Sprintf("#%d", len(s.Elements)), taken)
			s.Elements = append(s.Elements, e)
		})
	}
}

// element reads one element; place is its key unless it has an id.
func (r *reader) element(n ast.Node, place string, taken map[string]bool) *Element {
	e := &Element{Key: place}
	table := keys{
		"id":          r.into(&e.ID, "id"),
		"label":       r.text(&e.Label, "label"),
		"style":       r.into(&e.Style, "style"),
		"placeholder": r.text(&e.Placeholder, "placeholder"),
		"bind":        r.into(&e.Bind, "bind"),
		"enabled":     r.cond(&e.Enabled, "enabled"),
		"visible":     r.cond(&e.Visible, "visible"),
		"do":          r.steps(&e.Do, 0),
	}
	for kind := range kindRules() {
		table[string(kind)] = r.kind(e, kind, taken)
	}
	r.mapping(n, "an element", table)
	r.checkElement(n, e, taken)
	return e
}

// kind reads the key that gives an element its kind.
func (r *reader) kind(e *Element, kind Kind, taken map[string]bool) func(ast.Node) {
	return func(n ast.Node) {
		if e.Kind != "" {
			r.fail(n, "an element is either a %s or a %s, not both", e.Kind, kind)
			return
		}
		e.Kind = kind
		if kind != KindRow {
			r.text(&e.Text, string(kind))(n)
			return
		}
		r.list(n, "row", func(item ast.Node) {
			place := fmt.Sprintf("%s.%d", e.Key, len(e.Row))
			e.Row = append(e.Row, r.element(item, place, taken))
		})
	}
}

func (r *reader) checkElement(n ast.Node, e *Element, taken map[string]bool) {
	rule, known := kindRules()[e.Kind]
	if !known {
		r.fail(n, "an element has no kind: give it one of %s", kindNames())
		return
	}
	if e.ID != "" {
		e.Key = e.ID
	}
	if taken[e.Key] {
		r.fail(n, "id %q is there twice on this screen", e.Key)
	}
	taken[e.Key] = true
	r.checkStyle(n, e, rule)
	r.checkBind(n, e, rule)
	if len(e.Do) > 0 && !rule.acts {
		r.fail(n, "a %s cannot do anything: only a button has do", e.Kind)
	}
	for _, inner := range e.Row {
		if inner.Kind == KindRow {
			r.fail(n, "a row cannot hold a row")
		}
	}
}

func kindNames() string {
	var names []string
	for kind := range kindRules() {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

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
	case !rule.binds && e.Bind != "":
		r.fail(n, "a %s cannot bind a variable", e.Kind)
	case rule.binds && e.Bind == "":
		r.fail(n, "a %s needs bind: the variable it edits", e.Kind)
	case rule.binds:
		r.later = append(r.later, func() {
			if v, ok := r.variable(n, e.Bind); ok && !sameType(v, "") {
				r.fail(n, "bind needs a string variable: %q is %s", e.Bind, typeName(v))
			}
		})
	}
}
