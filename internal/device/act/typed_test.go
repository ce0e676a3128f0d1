package act_test

import (
	"cmp"
	"strings"
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
)

// held is an app that shows what it holds: the truth about what was typed.
const held = `
start: form
state: {name: "", pin: "", notes: "", found: "", search: "", presses: 0}
screens:
  form:
    title: Form
    elements:
      - {field: Name, id: name, bind: name}
      - {secure: Pin, id: pin, bind: pin}
      - {search: Search, id: search, bind: search, submit: [{set: {found: "{search}"}}]}
      - {text: "name=<{name}> pin=<{pin}> found=<{found}> presses=<{presses}>", id: truth}
      - {button: Press, id: press, do: [{add: {presses: 1}}]}
`

const heldApp = "com.example.held"

// truth is what the app holds, asked when nothing goes wrong any more.
func (s *stand) truth(of string) string {
	s.t.Helper()
	s.Calm()
	_, text, found := strings.Cut(s.screen(), of+"=<")
	if !found {
		s.t.Fatalf("the app does not say what %s is:\n%s", of, s.screen())
	}
	text, _, _ = strings.Cut(text, ">")
	return text
}

// A step that types and is called a success leaves exactly what was wanted in the app. One that is not says so, whatever
// went wrong on the way.
func TestTypedTextMatchesField(t *testing.T) {
	late := func(f *virtualxcode.Fault, after int) *virtualxcode.Fault {
		f.After = after
		return f
	}
	staleAfter := func(n, times int) *virtualxcode.Fault {
		f := late(wrong(flaw.StaleTree), n)
		f.Times = times
		return f
	}
	s := newStand(t)
	s.Install(heldApp, held)
	for _, c := range []struct {
		name    string
		field   string // name, unless something else is said
		before  string // what the field holds
		text    string
		replace bool
		fault   *virtualxcode.Fault
		also    *virtualxcode.Fault
		wants   string     // what the app must hold; empty: what the fault leaves of it
		outcome ui.Outcome // changed, unless something else is said
		code    fault.Code // of a step that fails
	}{
		{name: "one stale look", text: "hello world", replace: true, fault: staleAfter(3, 1), wants: "hello world"},
		{name: "one stale look, appended", text: "abc", fault: staleAfter(3, 1), wants: "abc"},
		{name: "one stale look after another text", before: "old", text: "abc", fault: staleAfter(2, 1), wants: "oldabc"},
		{name: "two stale looks", text: "abc", fault: staleAfter(3, 2), code: fault.TextNotEntered},
		{name: "a stale look at the focus", text: "abc", fault: staleAfter(2, 1), wants: "abc"},
		{name: "a stale look at a field that is emptied", before: "old", text: "abc", replace: true, fault: staleAfter(2, 1), wants: "abc"},
		{name: "an empty look", text: "777", replace: true, fault: late(wrong(flaw.EmptyTree), 3), wants: "777"},
		{name: "doubled, and an empty look", text: "777", fault: late(wrong(flaw.EmptyTree), 3), also: wrong(flaw.DoubledCharacters),
			code: fault.TextNotEntered},
		{name: "doubled", text: "777", replace: true, fault: wrong(flaw.DoubledCharacters), code: fault.TextNotEntered},
		{name: "doubled, appended", before: "7", text: "777", fault: wrong(flaw.DoubledCharacters), code: fault.TextNotEntered},
		{name: "doubled dashes", text: "1-2-3", fault: wrong(flaw.DoubledCharacters, "every", "2"), code: fault.TextNotEntered},
		{name: "a point lost", text: "1.5", replace: true, fault: wrong(flaw.DroppedCharacters, "every", "2"), code: fault.TextNotEntered},
		{name: "points lost", text: "a.b.c.", replace: true, fault: wrong(flaw.DroppedCharacters, "every", "2"), code: fault.TextNotEntered},
		{name: "the beginning lost", before: "x", text: "abab", fault: wrong(flaw.DroppedCharacters, "every", "2"), code: fault.TextNotEntered},
		{name: "an end lost", text: "grace", fault: wrong(flaw.DroppedCharacters, "every", "1", "after", "2"), wants: "grace"},
		{name: "a secret swallowed", field: "pin", text: "1234", fault: wrong(flaw.NoOpType), outcome: ui.Unknown},
		{name: "a secret", field: "pin", text: "1234", wants: "1234"},
		{name: "a secret and a stale look", field: "pin", text: "1234", fault: staleAfter(3, 1), wants: "1234"},
		{name: "all swallowed", text: "abc", fault: always(wrong(flaw.NoOpType)), code: fault.TextNotEntered},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.begin(t, heldApp)
			field := cmp.Or(c.field, "name")
			if c.before != "" {
				_, err := s.Enter(t.Context(), act.How{}, named(field), act.Entry{Text: c.before})
				s.Must(err)
			}
			s.screen() // a settled screen that the session knows: the step begins with one look
			for _, f := range []*virtualxcode.Fault{c.fault, c.also} {
				if f != nil {
					s.Fault(*f)
				}
			}
			report, err := s.Enter(t.Context(), act.How{}, named(field), act.Entry{Text: c.text, Replace: c.replace})
			f := fault.From(err)
			holds := s.truth(field)
			switch {
			case c.code != "":
				if f == nil || f.Code != c.code || f.Dispatched != fault.Dispatched {
					t.Errorf("%s, %+v; the app holds %q", report.Outcome, f, holds)
				}
			case err != nil:
				t.Errorf("%+v; the app holds %q", f, holds)
			case report.Outcome != cmp.Or(c.outcome, ui.Changed):
				t.Errorf("%s; the app holds %q", report.Outcome, holds)
			}
			if c.wants != "" && holds != c.wants {
				t.Errorf("the app holds %q, want %q", holds, c.wants)
			}
		})
	}
}
