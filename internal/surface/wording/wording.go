// Package wording renders advice in the words of the surface that shows it.
//
// The texts of the product hold facts (package hint): an operation with its input, an input's name, a command for a person. A Voice
// replaces each by what its surface understands: a command line, a tool call, an HTTP request. A set of tools that lacks an operation gets
// its own tool for the same task; where it has none, the clause of the hint that names the operation is left out.
package wording

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
)

// Mention is an operation that a text names, with the inputs that the text gives.
type Mention struct {
	Op    op.Op
	Input map[string]any
	Help  bool // the text means its help, not a call

	kept map[string]any // inputs of the previous call that this one should repeat
}

// Voice renders facts in the words of one surface.
type Voice struct {
	catalogue *op.Catalogue
	call      func(Mention) string
	can       func(Mention) bool          // whether the surface reaches this operation
	user      func(command string) string // a command outside the catalogue: only a person with a shell runs it
	input     func(name string) string
	listed    func(op.Op) bool // whether the surface shows this operation
	blanks    bool             // an unknown argument becomes a word to replace, such as NAME
}

// Envelope is the answer in the words of the surface. The input is the input of the call: the calls that the answer suggests repeat the
// device and project that it named.
func (v Voice) Envelope(e op.Envelope, input []byte) op.Envelope {
	kept := keep(input)
	e.Error = v.fault(e.Error, kept)
	switch {
	case !e.Document:
		e.Stdout = v.lines(e.Stdout, kept)
	case hint.Has(e.Stdout) && json.Valid([]byte(e.Stdout)): // the JSON of a result without a text
		e.Stdout = string(v.result(json.RawMessage(e.Stdout), kept))
	}
	e.Result = v.result(e.Result, kept)
	notices := slices.Clone(e.Meta.Notices)
	for i, n := range notices {
		notices[i].Text = v.text(n.Text, kept)
		notices[i].Lines = slices.Clone(n.Lines)
		for k, line := range n.Lines {
			notices[i].Lines[k] = v.facts(line, kept)
		}
	}
	e.Meta.Notices = notices
	return e
}

// Fault is a fault in the words of the surface.
func (v Voice) Fault(f *fault.Fault) *fault.Fault { return v.fault(f, nil) }

// Say is a text in the words of the surface.
func (v Voice) Say(text string) string { return v.facts(text, nil) }

// fault drops the clauses of the hint that the surface cannot do. If no clause is left, the hint is the usual one of the code.
func (v Voice) fault(f *fault.Fault, kept map[string]any) *fault.Fault {
	if f == nil {
		return nil
	}
	said := f.Said(func(text string) string { return v.facts(text, kept) })
	if said.Hint = v.text(v.followable(f.Hint), kept); said.Hint == "" {
		said.Hint = v.text(v.followable(f.Code.Hint()), kept)
	}
	return said
}

// facts replaces the facts of a text.
func (v Voice) facts(text string, kept map[string]any) string {
	return hint.Render(text, func(f hint.Fact) string {
		switch f.Kind {
		case hint.Input:
			return v.input(f.Name)
		case hint.Shell:
			return v.user(f.Name)
		}
		m, ok := v.mention(f)
		if !ok {
			return f.Op
		}
		return oneline.Legible(v.call(withKept(m, kept)))
	})
}

// mention is a fact that names an operation.
func (v Voice) mention(f hint.Fact) (Mention, bool) {
	o, err := v.catalogue.Lookup(f.Op)
	return Mention{Op: o, Input: f.Input, Help: f.Kind == hint.Help}, err == nil
}

// followable is a hint without the clauses that tell to call what the surface does not have.
func (v Voice) followable(text string) string {
	if !hint.Has(text) {
		return text
	}
	var kept strings.Builder
	for _, clause := range clauses(text) {
		lacks := slices.ContainsFunc(hint.Facts(clause), func(f hint.Fact) bool {
			m, ok := v.mention(f)
			return (f.Kind == hint.Call || f.Kind == hint.Help) && (!ok || !v.can(m))
		})
		if !lacks {
			kept.WriteString(clause)
		}
	}
	if kept.Len() == len(text) {
		return text
	}
	return strings.TrimRight(kept.String(), " ,;:.")
}

// clauses splits a hint where it names another way: each clause has the separator that follows it.
func clauses(text string) (split []string) {
	from := 0
	for _, at := range separators().FindAllStringIndex(text, -1) {
		if found := text[at[0]:at[1]]; found[0] == '"' || strings.HasPrefix(found, "‹") {
			continue // what looks like a separator there is data
		}
		split = append(split, text[from:at[1]])
		from = at[1]
	}
	return append(split, text[from:])
}

// separators stand between the clauses of a hint. The pattern also finds quotations and facts, because a separator inside them is data.
var separators = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|‹[^›\n]*›|; (?:or )?|\. |, or `)
})

// Next are the calls that usually follow a successful call, if the surface shows their operations.
func (v Voice) Next(e op.Envelope, input []byte) (calls []string) {
	for _, name := range e.Meta.Next {
		if o, err := v.catalogue.Lookup(name); err == nil && v.listed(o) {
			calls = append(calls, v.call(v.filled(withKept(Mention{Op: o}, keep(input)), e.Result)))
		}
	}
	return calls
}

// filled adds the missing required arguments of a call: the value that the previous result has under the same name, or, on a command line,
// a word to replace.
func (v Voice) filled(m Mention, result []byte) Mention {
	var has map[string]json.RawMessage
	_ = json.Unmarshal(result, &has) // only an object has values
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

// text is a hint or a notice on a terminal.
func (v Voice) text(text string, kept map[string]any) string {
	return oneline.Legible(v.facts(text, kept))
}

// lines renders the facts in the text of an answer. In a line that begins with "hint: ", only the clauses stay that can be followed.
func (v Voice) lines(text string, kept map[string]any) string {
	if !hint.Has(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if advice, is := strings.CutPrefix(strings.TrimSpace(line), adviceLine); is {
			left := v.followable(advice)
			if left == "" {
				lines[i] = ""
				continue
			}
			line = line[:len(line)-len(strings.TrimLeft(line, " "))] + adviceLine + left
		}
		lines[i] = v.facts(line, kept)
	}
	return strings.Join(lines, "\n")
}

// adviceLine begins a line of an answer that says what to do.
const adviceLine = "hint: "

// Step begins a line of a guide.
const Step = "→ "

// NextSteps heads the calls that usually follow, each in a line of its own that begins with two spaces.
const NextSteps = "next steps:"

// result renders the facts in the fields of a result that advise. All others are data, which stays as it is.
func (v Voice) result(raw json.RawMessage, kept map[string]any) json.RawMessage {
	if !hint.Has(string(raw)) {
		return raw
	}
	field, holder, holders := "", "", []string(nil)
	return parts().ReplaceAllFunc(raw, func(part []byte) []byte {
		switch part[0] {
		case '{':
			holders, holder = append(holders, holder), field
			return part
		case '}':
			field, holder, holders = holder, holders[len(holders)-1], holders[:len(holders)-1]
			return part
		}
		if name, is := bytes.CutSuffix(part, []byte(":")); is {
			field = string(name[1 : len(name)-1])
			return part
		}
		var text string
		if !hint.Advises(holder, field) || !hint.Has(string(part)) || json.Unmarshal(part, &text) != nil {
			return part
		}
		said, err := json.Marshal(v.facts(text, kept))
		if err != nil {
			return part
		}
		return said
	})
}

// parts are the strings and the ends of the objects of a compact JSON document. A string with a colon is the name of a field.
var parts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:\\.|[^"\\])*":?|[{}]`) })
