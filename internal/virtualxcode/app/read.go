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
		"tabs":    r.tabs,
		"launch":  r.steps(&r.app.Launch, 0),
		"open":    r.links,
		"server":  r.server,
		"screens": r.screens,
	})
	if len(r.app.Screens) == 0 {
		r.fail(root, "no screens: add at least one under screens")
	}
	if items := r.app.Tabs.Items; len(items) > 0 && r.app.Start == "" {
		r.app.Start = items[0].Screen
	}
	if r.app.Start == "" {
		r.fail(root, "start is missing: it names the screen shown at launch")
		return
	}
	r.checkScreen(root, "start", r.app.Start)
	r.checkStartTab(root)
}

func (r *reader) checkScreen(at ast.Node, what, name string) {
	if r.app.Screens[name] == nil {
		r.fail(at, "%s names the unknown screen %q", what, name)
	}
}

func (r *reader) checkStartTab(at ast.Node) {
	items := r.app.Tabs.Items
	isStart := func(t Tab) bool { return t.Screen == r.app.Start }
	if len(items) > 0 && !slices.ContainsFunc(items, isStart) {
		r.fail(at, "start names %q: it must be the screen of a tab", r.app.Start)
	}
}

func (r *reader) state(n ast.Node) {
	r.each(n, "state", func(name string, at, value ast.Node) {
		v := r.scalar(value)
		if v == nil {
			r.fail(value, "variable %q must start as a string, a number or a bool", name)
		}
		if reserved(name) {
			r.fail(at, "variable %q comes from the launch or the device and cannot be declared", name)
		}
		r.app.State[name] = v
	})
}

func (r *reader) tabs(n ast.Node) {
	r.mapping(n, "tabs", keys{
		"id":    r.into(&r.app.Tabs.ID, "id"),
		"items": func(n ast.Node) { r.list(n, "items", r.tab) },
	})
}

func (r *reader) tab(n ast.Node) {
	var t Tab
	r.mapping(n, "a tab", keys{
		"label":  r.text(&t.Label, "label"),
		"screen": r.into(&t.Screen, "screen"),
		"icon":   r.into(&t.Icon, "icon"),
	})
	if t.Label == "" || t.Screen == "" {
		r.fail(n, "a tab needs a label and a screen")
	}
	taken := func(other Tab) bool { return other.Screen == t.Screen }
	if slices.ContainsFunc(r.app.Tabs.Items, taken) {
		r.fail(n, "screen %q is shown by two tabs", t.Screen)
	}
	r.later = append(r.later, func() { r.checkScreen(n, "a tab", t.Screen) })
	r.app.Tabs.Items = append(r.app.Tabs.Items, t)
}

func (r *reader) links(n ast.Node) {
	r.each(n, "open", func(pattern string, at, value ast.Node) {
		l := Link{Pattern: pattern}
		if scheme, rest, ok := strings.Cut(pattern, "://"); !ok || scheme == "" || rest == "" || strings.HasSuffix(rest, "/") {
			r.fail(at, "open needs URLs such as shop://item/{id}, not %q", pattern)
		}
		r.steps(&l.Do, 0)(value)
		r.app.Links = append(r.app.Links, l)
		r.later = append(r.later, func() {
			for _, name := range l.names() {
				r.checkVariable(at, "open", name, "")
			}
		})
	})
}

func (r *reader) screens(n ast.Node) {
	r.each(n, "screens", func(name string, at, value ast.Node) {
		s := &Screen{Name: name}
		r.app.Screens[name] = s
		r.mapping(value, fmt.Sprintf("screen %q", name), keys{
			"title":     r.text(&s.Title, "title"),
			"scroll":    r.boolean(&s.Scroll, "scroll"),
			"appear":    r.steps(&s.Appear, 0),
			"dismissed": r.steps(&s.Dismissed, 0),
			"elements": func(n ast.Node) {
				s.Elements = r.elements(n, "elements", "", map[string]bool{})
			},
		})
	})
}
