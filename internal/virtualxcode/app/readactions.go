package app

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

func (r *reader) screenName(n ast.Node, what string) string {
	var screen string
	r.into(&screen, what)(n)
	r.later = append(r.later, func() { r.checkScreen(n, what, screen) })
	return screen
}

func (r *reader) tabStep(n ast.Node) Step {
	var screen string
	r.into(&screen, "tab")(n)
	r.later = append(r.later, func() {
		if !slices.ContainsFunc(r.app.Tabs.Items, func(t Tab) bool { return t.Screen == screen }) {
			r.fail(n, "tab names %q: it must be the screen of a tab", screen)
		}
	})
	return ToTab(screen)
}

func (r *reader) flipStep(n ast.Node) Step {
	var name string
	r.into(&name, "flip")(n)
	r.later = append(r.later, func() { r.checkVariable(n, "flip", name, false) })
	return Flip(name)
}

// dialog reads a question. An alert without buttons gets OK, choices get Cancel.
func (r *reader) dialog(n ast.Node, confirm bool) Step {
	d := &Dialog{Number: len(r.app.Dialogs), Confirm: confirm}
	r.app.Dialogs = append(r.app.Dialogs, d)
	if r.depth > maxDepth {
		r.fail(n, "dialogs are nested more than %d deep", maxDepth)
		return d
	}
	r.depth++
	defer func() { r.depth-- }()
	r.mapping(n, "a dialog", keys{
		"title":   r.text(&d.Title, "title"),
		"message": r.text(&d.Message, "message"),
		"buttons": func(n ast.Node) { d.Buttons = r.elements(n, "buttons", "", map[string]bool{}) },
	})
	for _, b := range d.Buttons {
		if b.Kind != KindButton && b.Kind != "" {
			r.fail(n, "a dialog has buttons only, not a %s", b.Kind)
		}
	}
	leaves := func(b *Element) bool { return b.Style == "cancel" }
	switch {
	case confirm && !slices.ContainsFunc(d.Buttons, leaves):
		d.Buttons = append(d.Buttons, &Element{Key: "Cancel", Kind: KindButton, Text: "Cancel", Style: "cancel"})
	case len(d.Buttons) == 0:
		d.Buttons = []*Element{{Key: "OK", Kind: KindButton, Text: "OK"}}
	}
	return d
}

// shortest is the minimum time between two ticks: a look must not have to run millions of them.
const shortest = 50 * time.Millisecond

func (r *reader) timer(n ast.Node, what string, depth int) Step {
	t := &Timer{Number: len(r.app.Timers), Every: what == "every"}
	r.app.Timers = append(r.app.Timers, t)
	var seconds float64
	r.mapping(n, what, keys{
		"name":    r.into(&t.Name, "name"),
		"seconds": r.number(&seconds, "seconds"),
		"do":      r.steps(&t.Do, depth+1),
	})
	if !(seconds >= 0 && seconds <= 86400) {
		r.fail(n, "%s needs seconds, from 0 to a day", what)
		return t
	}
	t.After = time.Duration(seconds * float64(time.Second))
	if t.Every && t.After < shortest {
		r.fail(n, "every needs seconds of at least %g", shortest.Seconds())
	}
	return t
}

func (r *reader) logStep(n ast.Node) Step {
	l := Log{Level: "default"}
	r.mapping(n, "log", keys{
		"level": r.into(&l.Level, "level"), "message": r.text(&l.Message, "message"),
		"subsystem": r.into(&l.Subsystem, "subsystem"), "category": r.into(&l.Category, "category"),
	})
	if !slices.Contains(logLevels, l.Level) {
		r.fail(n, "unknown level %q of log: known levels are %s", l.Level, strings.Join(logLevels, ", "))
	}
	return l
}

func (r *reader) printStep(n ast.Node) Step {
	l := Log{Level: PrintLevel}
	r.text(&l.Message, "print")(n)
	return l
}

func (r *reader) openStep(n ast.Node) Step {
	var address Text
	r.text(&address, "open")(n)
	return OpenURL(address)
}

// crashStep reads a message, which means a fatal error, or a crash of another kind.
func (r *reader) crashStep(n ast.Node) Step {
	c := Crash{Kind: FatalError}
	if t := n.GetToken(); t != nil && t.Position != nil {
		c.Line = t.Position.Line
	}
	if _, ok := mappingEntries(n); !ok {
		r.text(&c.Message, "crash")(n)
		return c
	}
	r.mapping(n, "crash", keys{
		"kind": r.into(&c.Kind, "kind"), "message": r.text(&c.Message, "message"), "name": r.into(&c.Name, "name"),
	})
	if !slices.Contains(CrashKinds(), c.Kind) {
		r.fail(n, "unknown kind %q of crash: known kinds are %s", c.Kind, strings.Join(CrashKinds(), ", "))
	}
	if c.Name != "" && c.Kind != Exception {
		r.fail(n, "name belongs to a crash of kind %s", Exception)
	}
	if c.Name == "" && c.Kind == Exception {
		c.Name = "NSInternalInconsistencyException"
	}
	return c
}
