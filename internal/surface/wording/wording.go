// Package wording says what to do next in the words of the surface that it is said on.
//
// The product names an operation as a shell does, between backticks: `ios-agent launch Shop`; an input as a flag: `--udid`. Views
// that have the shape of XcodeBuildMCP name one as it does: launch_app_sim({ bundleId: "…" }). A Voice turns these into what its
// surface understands: a command, a tool call, a route. What stands in double quotes is data, and is left as it is.
package wording

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/op"
	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/text/oneline"
)

// Mention is an operation that a text names, with the inputs that it names.
type Mention struct {
	Op    op.Op
	Input map[string]any
	Help  bool // its help is meant, not a call

	kept map[string]any // what the call before named
}

// Voice writes mentions for one surface.
type Voice struct {
	catalogue *op.Catalogue
	verbs     func() map[string]op.Op // what one types for each
	call      func(Mention) string
	user      func(command string) string // a command that is no operation: only the user has a shell
	input     func(flag string) string
	listed    func(op.Op) bool // whether the surface shows this operation
	blanks    bool             // a word to replace stands for an argument that is not known
}

// Envelope is the answer in the words of the surface. The input is that of the call: what it named, what is said next names too.
func (v Voice) Envelope(e op.Envelope, input []byte) op.Envelope {
	kept := keep(input)
	if e.Error != nil {
		f := *e.Error
		f.Hint = v.text(f.Hint, kept)
		e.Error = &f
	}
	if !e.Document {
		e.Stdout = v.advice(e.Stdout, kept)
	}
	e.Result = v.result(e.Result, kept)
	notices := slices.Clone(e.Meta.Notices)
	for i, n := range notices {
		notices[i].Text = v.text(n.Text, kept)
	}
	e.Meta.Notices = notices
	return e
}

// Next are the calls that usually follow one that went well, of those that the surface shows.
func (v Voice) Next(e op.Envelope, input []byte) (calls []string) {
	for _, name := range e.Meta.Next {
		if o, err := v.catalogue.Lookup(name); err == nil && v.listed(o) {
			calls = append(calls, v.call(v.filled(withKept(Mention{Op: o}, keep(input)), e.Result)))
		}
	}
	return calls
}

// filled has the arguments that a call needs and that its line does not have: those that the result before has by that name, and else, on
// a command line, a word to replace, as its help writes it.
func (v Voice) filled(m Mention, result []byte) Mention {
	var has map[string]json.RawMessage
	_ = json.Unmarshal(result, &has) // what is no object has nothing
	all := map[string]any{}
	maps.Copy(all, m.Input)
	for _, f := range m.Op.Fields() {
		if _, given := all[f.Name]; given || !f.Arg || !f.Required {
			continue
		}
		var known string
		if json.Unmarshal(has[f.Name], &known) == nil && known != "" && !strings.ContainsFunc(known, unprintable) {
			all[f.Name] = known
		} else if v.blanks {
			all[f.Name] = strings.ToUpper(f.Name)
		}
	}
	m.Input = all
	return m
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// spans are what may be a mention: between backticks, or a call as XcodeBuildMCP writes it. A quotation is found too, and left alone.
var spans = lazyregexp.New("`[^`\n]*`" + `|"(?:\\.|[^"\\\n])*"|[a-z][a-z0-9_]+\(\{(?:"(?:\\.|[^"\\])*"|[^"{}])*\}\)`)

// text replaces the mentions in a text. What a call named may hold anything; a mention is shown on a terminal.
func (v Voice) text(text string, kept map[string]any) string {
	return oneline.Legible(spans.ReplaceAllStringFunc(text, func(span string) string {
		switch span[0] {
		case '"':
			return span
		case '`':
			return v.span(span[1:len(span)-1], kept)
		}
		if m, ok := parseCall(v.catalogue, span); ok {
			return v.call(withKept(m, kept))
		}
		return span
	}))
}

// span is what stood between backticks.
func (v Voice) span(span string, kept map[string]any) string {
	if flag, is := strings.CutPrefix(span, "--"); is && !strings.ContainsAny(flag, " =") {
		return v.input(flag)
	}
	command, is := strings.CutPrefix(span, "ios-agent ")
	if !is {
		return "`" + span + "`"
	}
	m, ok := parseCommand(v.verbs(), command)
	if !ok {
		return v.user(span)
	}
	return v.call(withKept(m, kept))
}

// advice replaces mentions in the lines of an answer that tell what to do; all others are what was asked for.
func (v Voice) advice(text string, kept map[string]any) string {
	if !strings.ContainsAny(text, "`(") {
		return text
	}
	lines := strings.Split(text, "\n")
	steps := false
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		steps = trimmed == NextSteps || steps && strings.HasPrefix(line, "  ")
		if steps || slices.ContainsFunc(advices, func(begin string) bool { return strings.HasPrefix(trimmed, begin) }) {
			lines[i] = v.text(line, kept)
		}
	}
	return strings.Join(lines, "\n")
}

// advices are how lines begin that tell what to do; an ellipsis is followed by the way to what is left out, an arrow by a step of a guide.
var advices = []string{"hint: ", "note: ", "… ", Step}

// Step begins a line of a guide.
const Step = "→ "

// NextSteps heads the calls that usually follow, each in a line of its own that begins with two spaces.
const NextSteps = "next steps:"

// told are the fields of results that tell what to do, and where they stand: in the result itself, or in the parts of one of its lists.
var told = []struct{ list, field string }{{"", "nextSteps"}, {"", "hint"}, {"ways", "instructions"}, {"steps", "instructions"}}

// result replaces mentions in the fields of a result that tell what to do.
func (v Voice) result(raw json.RawMessage, kept map[string]any) json.RawMessage {
	for _, at := range told {
		if !strings.Contains(string(raw), `"`+at.field+`"`) {
			continue
		}
		if at.list == "" {
			raw = changed(raw, at.field, func(said json.RawMessage) json.RawMessage { return v.said(said, kept) })
			continue
		}
		raw = changed(raw, at.list, func(list json.RawMessage) json.RawMessage {
			var parts []json.RawMessage
			if json.Unmarshal(list, &parts) != nil {
				return list
			}
			for i := range parts {
				parts[i] = changed(parts[i], at.field, func(said json.RawMessage) json.RawMessage { return v.said(said, kept) })
			}
			return encoded(parts, list)
		})
	}
	return raw
}

// changed is an object with one field changed; what is no object, or lacks the field, stays as it is.
func changed(raw json.RawMessage, field string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields[field] == nil {
		return raw
	}
	fields[field] = change(fields[field])
	return encoded(fields, raw)
}

func encoded(value any, otherwise json.RawMessage) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil {
		return otherwise
	}
	return out
}

// said is a text, or a list of texts, in the words of the surface.
func (v Voice) said(raw json.RawMessage, kept map[string]any) json.RawMessage {
	var list []string
	var one string
	switch {
	case json.Unmarshal(raw, &list) == nil:
		for i := range list {
			list[i] = v.text(list[i], kept)
		}
		return encoded(list, raw)
	case json.Unmarshal(raw, &one) == nil:
		return encoded(v.text(one, kept), raw)
	}
	return raw
}
