package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// elements reads a list of elements. place is the prefix of the keys of elements without an id, and taken holds the keys in use on the
// screen.
func (r *reader) elements(n ast.Node, what, place string, taken map[string]bool) (out []*Element) {
	r.list(n, what, func(item ast.Node) {
		if template := repeated(item); template != nil {
			out = append(out, r.repeat(item, template, place, taken, len(out))...)
			return
		}
		out = append(out, r.element(item, fmt.Sprintf("%s#%d", place, len(out)), taken))
	})
	return out
}

// element reads one element; place is its key unless it has an id.
func (r *reader) element(n ast.Node, place string, taken map[string]bool) *Element {
	e := &Element{Key: place}
	if r.count++; r.count > maxElements {
		r.fail(n, "there are more than %d elements", maxElements)
		return e
	}
	table := r.elementKeys(e)
	for kind := range kindRules {
		table[string(kind)] = r.kind(e, kind, taken)
	}
	r.mapping(n, "an element", table)
	r.checkElement(n, e, taken)
	return e
}

func (r *reader) elementKeys(e *Element) keys {
	return keys{
		"id":          r.into(&e.ID, "id"),
		"label":       r.text(&e.Label, "label"),
		"style":       r.into(&e.Style, "style"),
		"placeholder": r.text(&e.Placeholder, "placeholder"),
		"detail":      r.text(&e.Detail, "detail"),
		"icon":        r.into(&e.Icon, "icon"),
		"keyboard":    r.into(&e.Keyboard, "keyboard"),
		"bind":        r.into(&e.Bind, "bind"),
		"filter":      r.into(&e.Filter, "filter"),
		"options":     r.strings(&e.Options, "options"),
		"min":         r.number(&e.Range.Min, "min"),
		"max":         r.number(&e.Range.Max, "max"),
		"step":        r.number(&e.Range.Step, "step"),
		"width":       r.number(&e.Width, "width"),
		"height":      r.number(&e.Height, "height"),
		"enabled":     r.cond(&e.Enabled, "enabled"),
		"visible":     r.cond(&e.Visible, "visible"),
		"do":          r.steps(&e.Do, 0),
		"submit":      r.steps(&e.Submit, 0),
		"hold":        func(n ast.Node) { e.Hold = r.hold(n) },
		"swipe":       func(n ast.Node) { e.Swipe = r.swipe(n) },
		"point":       func(n ast.Node) { e.Point = r.point(n) },
		"double":      r.steps(&e.Double, 0),
		"pinch":       func(n ast.Node) { e.Pinch = r.pinch(n) },
		"drag":        r.text(&e.Drag, "drag"),
		"drop":        func(n ast.Node) { e.Drop = r.drop(n) },
		"reorder":     r.boolean(&e.Reorder, "reorder"),
		"hidden":      r.boolean(&e.Hidden, "hidden"),
	}
}

// kind reads the key that determines an element's kind.
func (r *reader) kind(e *Element, kind Kind, taken map[string]bool) func(ast.Node) {
	return func(n ast.Node) {
		if e.Kind != "" {
			r.fail(n, "an element is either a %s or a %s, not both", e.Kind, kind)
			return
		}
		e.Kind = kind
		rule := kindRules[kind]
		if rule.holds == "" {
			r.text(&e.Text, string(kind))(n)
			return
		}
		if r.depth > maxDepth {
			r.fail(n, "elements are nested more than %d deep", maxDepth)
			return
		}
		r.depth++
		e.Inner = r.elements(n, string(kind), e.Key+".", taken)
		r.depth--
		for _, inner := range e.Inner {
			if inner.Kind != "" && !rule.mayHold(inner.Kind) {
				r.fail(n, "a %s cannot hold a %s", kind, inner.Kind)
			}
		}
	}
}

func (r *reader) checkElement(n ast.Node, e *Element, taken map[string]bool) {
	rule, known := kindRules[e.Kind]
	if !known {
		r.fail(n, "an element has no kind: give it one of %s", kindNames())
		return
	}
	if e.ID != "" {
		e.Key = e.ID
	}
	if taken[e.Key] {
		r.fail(n, "duplicate id %q on this screen", e.Key)
	}
	taken[e.Key] = true
	r.checkKeys(n, e, rule)
	r.checkStyle(n, e, rule)
	r.checkBind(n, e, rule)
	r.checkOptions(n, e, rule)
	r.checkNumbers(n, e, rule)
}

// checkKeys reports keys that the element's kind does not allow.
func (r *reader) checkKeys(n ast.Node, e *Element, rule kindRule) {
	for _, given := range []struct {
		key   string
		there bool
	}{
		{"placeholder", e.Placeholder != ""}, {"detail", e.Detail != ""}, {"icon", e.Icon != ""}, {"keyboard", e.Keyboard != ""},
		{"filter", e.Filter != ""}, {"options", e.Options != nil}, {"width", e.Width != 0}, {"height", e.Height != 0},
		{"min", e.Range.Min != 0}, {"max", e.Range.Max != 0}, {"step", e.Range.Step != 0}, {"do", e.Do != nil},
		{"submit", e.Submit != nil}, {"hold", e.Hold != nil}, {"swipe", e.Swipe != nil}, {"point", e.Point != nil},
		{"double", e.Double != nil}, {"pinch", e.Pinch != nil}, {"drag", e.Drag != ""}, {"drop", e.Drop != nil},
		{"reorder", e.Reorder}, {"hidden", e.Hidden},
	} {
		if given.there && !rule.may(given.key) {
			r.fail(n, "a %s has no %s", e.Kind, given.key)
		}
	}
	if e.Keyboard != "" && !slices.Contains(keyboards, e.Keyboard) {
		r.fail(n, "unknown keyboard %q: known keyboards are %s", e.Keyboard, strings.Join(keyboards, ", "))
	}
	if e.Kind == KindPermitted && !known(string(e.Text)) {
		r.fail(n, "unknown permission %q: known are %s", e.Text, strings.Join(Services(), ", "))
	}
}
