package reference

import (
	"fmt"
	"strings"

	"ios-agent/internal/op"
)

// section describes one operation.
func section(c *op.Catalogue, o op.Op) string {
	parts := []string{
		"## " + c.ID(o),
		strings.TrimSpace(sentence(o.Summary) + " " + o.GroupsInWords()),
		o.Help,
		"    " + usage(c, o),
		facts(c, o),
		inputs(o),
		answerFields(o),
		examples(o),
	}
	var b strings.Builder
	for _, p := range parts {
		if p = strings.TrimRight(p, "\n"); p != "" {
			b.WriteString(p + "\n\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// usage is the command line: arguments first, then flags, as code that is wrapped before it gets too wide.
func usage(c *op.Catalogue, o op.Op) string {
	if o.Verb == "" {
		return "ios-agent call " + c.ID(o) + " '{…}'"
	}
	words := []string{"ios-agent", o.Verb}
	for _, f := range o.Fields() {
		if f.Arg {
			words = append(words, optional(f, strings.ToUpper(f.Name)))
		}
	}
	for _, f := range o.Fields() {
		if !f.Arg && !f.NoFlag {
			words = append(words, optional(f, flagOf(f)))
		}
	}
	for _, s := range o.Shorts() {
		if s.Default != "" { // of every verb that is about a device: drivers.md has them
			continue
		}
		words = append(words, "[--"+s.Flag+" "+strings.ToUpper(s.Flag)+"]")
	}
	return wrap(words)
}

func flagOf(f op.Field) string {
	flag := "--" + f.Flag()
	if f.Kind == op.Bool {
		return flag
	}
	return flag + " " + strings.ToUpper(strings.ReplaceAll(f.Flag(), "-", "_"))
}

func optional(f op.Field, text string) string {
	if !f.Required || f.Default != "" {
		text = "[" + text + "]"
	}
	if f.Kind == op.Strings {
		text += "…"
	}
	return text
}

func wrap(words []string) string {
	const width = 100
	lines := []string{words[0]}
	for _, w := range words[1:] {
		last := len(lines) - 1
		if len(lines[last])+len(w) > width {
			lines = append(lines, "        "+w)
			continue
		}
		lines[last] += " " + w
	}
	return strings.Join(lines, "\n")
}

func facts(c *op.Catalogue, o op.Op) string {
	var lines []string
	if o.Route != "" {
		said := "REST: " + code(o.Route) + streamMark(o)
		for _, route := range o.Also {
			said += ", also " + code(route)
		}
		if o.Public {
			said += "; without the key"
		}
		lines = append(lines, said)
	}
	if o.Hints.Has(op.Repeatable) {
		lines = append(lines, "Header "+code(requestHeader)+": "+repeatInWords())
	}
	if !o.Streams() {
		lines = append(lines, "MCP: "+code(c.ID(o))+" ("+strings.Join(hints(o), ", ")+")")
	}
	limit := "Time limit: " + short(o.Limit())
	if o.Long {
		limit += ". " + longInWords()
	}
	if !o.Streams() {
		lines = append(lines, limit)
	}
	if len(o.Next) > 0 {
		lines = append(lines, "Usually next: "+strings.Join(next(c, o), ", "))
	}
	return "- " + strings.Join(lines, "\n- ")
}

func hints(o op.Op) []string {
	words := []string{"changes something"}
	if o.Hints.Has(op.ReadOnly) {
		words = []string{"read-only"}
	}
	for _, h := range []struct {
		hint op.Hints
		word string
	}{
		{op.Destructive, "may lose data"}, {op.Idempotent, "idempotent"}, {op.OpenWorld, "reaches beyond this machine"},
		{op.Executes, "runs code of your choice"},
	} {
		if o.Hints.Has(h.hint) {
			words = append(words, h.word)
		}
	}
	if o.Default {
		words = append(words, "in the default set")
	}
	return words
}

func next(c *op.Catalogue, o op.Op) []string {
	var links []string
	for _, name := range o.Next {
		if n, err := c.Lookup(name); err == nil {
			links = append(links, linkTo(c, n, n.Group()))
		}
	}
	return links
}

func examples(o op.Op) string {
	if len(o.Examples) == 0 {
		return ""
	}
	text := "Examples:\n\n"
	for _, line := range o.Examples {
		text += fmt.Sprintf("    ios-agent %s\n", line)
	}
	return text
}
