package buildlog

import (
	"fmt"
	"strings"

	"ios-agent/internal/text/brief"
)

// Text is the log in at most limit bytes: how it ended, then the facts needed to fix it.
func (l *Log) Text(limit int) string {
	w := brief.New(limit)
	w.Line(l.headline())
	errors := l.pick(func(d Diagnostic) bool { return d.Severity.Bad() && !d.Consequence && d.Test == "" })
	if len(errors) == 0 {
		errors = l.pick(func(d Diagnostic) bool { return d.Severity.Bad() && d.Test == "" })
	}
	w.List("errors", len(errors), func(i int) []string { return errors[i].lines() })
	failed := l.failed()
	w.List("failed tests", len(failed), func(i int) []string { return failed[i].lines() })
	if l.Result != Succeeded && len(errors) == 0 {
		w.List("failed commands", len(l.FailedSteps), func(i int) []string { return []string{"failed: " + l.FailedSteps[i]} })
	}
	warnings := l.pick(func(d Diagnostic) bool { return d.Severity == Warning })
	if len(errors) == 0 && len(failed) == 0 {
		w.List("warnings", len(warnings), func(i int) []string { return warnings[i].lines()[:1] })
	}
	for _, b := range l.Bundles {
		w.Line("result bundle: " + b)
	}
	return w.String()
}

func (l *Log) headline() string {
	t := l.Tests
	tests := ""
	if n := t.Passed + t.Failed + t.Skipped + t.Unfinished; n > 0 {
		tests = fmt.Sprintf("%s: %d passed, %d failed", brief.Count(n, "test"), t.Passed, t.Failed)
		for _, more := range []struct {
			n    int
			what string
		}{{t.Crashed, "of them crashed"}, {t.Skipped, "skipped"}, {t.Unfinished, "unfinished"}, {t.KnownIssues, "known issues"}} {
			if more.n > 0 {
				tests += fmt.Sprintf(", %d %s", more.n, more.what)
			}
		}
	}
	compiled := ""
	if l.Progress.Compiled > 0 {
		compiled = brief.Count(l.Progress.Compiled, "file") + " compiled"
	}
	s := brief.Join(", ", brief.Count(l.Errors, "error"), brief.Count(l.Warnings, "warning"), tests, compiled)
	head := l.Result + ": " + s
	if l.Because != "" {
		head += " (" + l.Because + ")"
	}
	return head
}

func (l *Log) pick(want func(Diagnostic) bool) []Diagnostic {
	var picked []Diagnostic
	for _, d := range l.Diagnostics {
		if want(d) {
			picked = append(picked, d)
		}
	}
	return picked
}

func (l *Log) failed() []Test {
	var failed []Test
	for _, t := range l.TestCases {
		if t.Status == Failed || t.Status == Crashed {
			failed = append(failed, t)
		}
	}
	return failed
}

// At is file:line:column, as far as known.
func (p Place) At() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	if p.Column > 0 {
		s += fmt.Sprintf(":%d", p.Column)
	}
	return brief.Join(":", s, p.Object)
}

const (
	shownNotes   = 4
	shownSymbols = 12
	shownOutput  = 12
)

// lines renders a diagnostic: the compiler's line, the source, the notes.
func (d Diagnostic) lines() []string {
	head := brief.Join(": ", d.Place.At(), d.Tool, d.Severity.words(), d.Message)
	if d.Count > 1 {
		head += fmt.Sprintf(" (%d times)", d.Count)
	}
	if len(d.Targets) > 0 && d.Line == 0 {
		head += " [target " + strings.Join(d.Targets[:min(3, len(d.Targets))], ", ") + "]"
	}
	out := []string{head}
	out = append(out, shortExcerpt(d.Excerpt)...)
	for _, f := range d.FixIts {
		out = append(out, "  fix-it: "+f)
	}
	for i, n := range d.Notes {
		if i == shownNotes {
			out = append(out, fmt.Sprintf("  … %d more notes", len(d.Notes)-i))
			break
		}
		out = append(out, "  "+brief.Join(": ", n.Place.At(), "note", n.Message))
	}
	for _, s := range d.Details {
		out = append(out, "  "+s)
	}
	for i, s := range d.Symbols {
		if i == shownSymbols {
			out = append(out, fmt.Sprintf("  … %d more symbols", len(d.Symbols)-i))
			break
		}
		ref := ""
		if len(s.References) > 0 {
			ref = " ← " + brief.Clip(s.References[0], 160)
		}
		out = append(out, "  "+brief.Clip(s.Name, 160)+ref)
	}
	tail := d.Output[max(0, len(d.Output)-shownOutput):]
	for _, s := range tail {
		out = append(out, "  | "+s)
	}
	for _, p := range d.Places.Requested {
		out = append(out, "  requested: "+p.String())
	}
	for _, p := range d.Places.Available {
		out = append(out, "  available: "+p.String())
	}
	for _, p := range d.Places.Ineligible {
		out = append(out, "  ineligible: "+p.String())
	}
	return out
}

// words are the compilers' words for the severities.
func (s Severity) words() string {
	if s == Fatal {
		return "fatal error"
	}
	return string(s)
}

// shortExcerpt takes the lines around the marks of a long excerpt.
func shortExcerpt(lines []string) []string {
	const most = 6
	if len(lines) <= most {
		return lines
	}
	at := len(lines) - 1
	for i, l := range lines {
		if strings.Contains(l, "`- ") || strings.Contains(l, "|- ") || caretLine.MatchString(l) {
			at = i
			break
		}
	}
	from := max(0, min(at-most/2, len(lines)-most))
	return lines[from : from+most]
}

// ID is the test's name for a command line, as far as known.
func (t Test) ID() string { return brief.Join("/", t.Module, t.Suite, t.Name) }

func (t Test) lines() []string {
	out := []string{fmt.Sprintf("%s %s", t.Status, t.ID())}
	if t.Reason != "" && len(t.Failures) == 0 {
		out = append(out, "  "+t.Reason)
	}
	for _, f := range t.Failures {
		if f.Known || f.Warning {
			continue
		}
		out = append(out, "  "+brief.Join(": ", f.Place.At(), f.Message))
		if f.Arguments != "" {
			out = append(out, "    with "+f.Arguments)
		}
		for _, d := range f.Details[:min(len(f.Details), shownNotes)] {
			out = append(out, "    "+d)
		}
	}
	return out
}
