package buildlog

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/text/lazyregexp"
)

// Swift Testing marks its lines with a symbol that depends on the platform, the terminal and the font: ◇ ✔ ✘ ⚠ ➜ ━, or characters of the
// private use area. The words decide, not the symbol; only the further lines of an issue are recognized by their symbol.
const detailSymbols = "↳→\U00100135±\U0010017A"

var (
	runEnd = lazyregexp.New(`^Test run with (\d+) tests?(?: in (\d+) suites?)? (passed|failed) after ([\d.]+) seconds(.*)$`)
	stEnd  = lazyregexp.New(`^(Test|Suite) (.+) (passed|failed) after ([\d.]+) seconds(.*)$`)
	stSkip = lazyregexp.New(`^(Test|Suite) (.+?) skipped(?:: "(.*)")?\.?$`)
	issue  = lazyregexp.New(`^Test (.+?) recorded (an issue|a known issue|a warning|an error)(?: \(.*?\))?` +
		`(?: with (\d+) arguments? (.*?))?(?: at ([^ ":][^":]*):(\d+):(\d+))?(?:: (.*)|\.)$`)
	cases  = lazyregexp.New(` with (\d+) test cases?$`)
	issues = lazyregexp.New(`(\d+) (known )?(issue|warning|failure)s?`)
	aka    = lazyregexp.New(`^(".*") \(aka '.*'\)$`)
)

// symbol removes the mark from a line; the bool reports whether the line had one.
func symbol(s string) (rune, string, bool) {
	c, n := utf8.DecodeRuneInString(s)
	if n < 2 || c == utf8.RuneError || unicode.IsLetter(c) || unicode.IsDigit(c) {
		return 0, s, false
	}
	rest := strings.TrimLeft(s[n:], "\uFE0E\uFE0F")
	trimmed := strings.TrimLeft(rest, " ")
	return c, trimmed, trimmed != rest
}

// swiftTesting reads the lines of Swift Testing's own recorder.
func (r *Reader) swiftTesting(s string) bool {
	c, text, ok := symbol(s)
	if !ok {
		return false
	}
	if strings.ContainsRune(detailSymbols, c) {
		return r.issueDetail(text)
	}
	if !strings.HasPrefix(text, "Test ") && !strings.HasPrefix(text, "Suite ") {
		return false
	}
	if strings.HasPrefix(text, "Test case passing ") {
		return true // the verbose form lists each argument; the test itself follows
	}
	r.tests.issue = nil
	for _, read := range []func(*Reader, string) bool{(*Reader).swiftRun, (*Reader).swiftIssue, (*Reader).swiftEnd,
		(*Reader).swiftSkip, (*Reader).swiftStart} {
		if read(r, text) {
			r.advance(RunningTests)
			r.closeCurrent()
			return true
		}
	}
	return false
}

func (r *Reader) swiftRun(s string) bool {
	if s == "Test run started." {
		r.tests.symbolRuns++
		return true
	}
	m := runEnd.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	t := Total{Framework: SwiftTesting, Failed: m[3] == "failed", Seconds: number(m[4])}
	t.Tests, _ = strconv.Atoi(m[1])
	t.Suites, _ = strconv.Atoi(m[2])
	t.Issues, _ = countIssues(m[5])
	r.total(t)
	return true
}

// countIssues reads "with 2 issues (including 1 known issue)".
func countIssues(s string) (unexpected, known int) {
	for _, m := range issues.FindAllStringSubmatch(s, -1) {
		n, _ := strconv.Atoi(m[1])
		switch {
		case m[2] != "":
			known += n
		case m[3] == "issue":
			unexpected += n
		}
	}
	return unexpected, known
}

// swiftEnd records a result. Two tests of different suites can have the same name, and the suite is not printed, so every result is a
// separate test.
func (r *Reader) swiftEnd(s string) bool {
	m := stEnd.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if m[1] == "Suite" {
		return true
	}
	name := m[2]
	t := Test{Framework: SwiftTesting, Status: Status(m[3]), Seconds: number(m[4])}
	if c := cases.FindStringSubmatch(name); c != nil {
		t.Cases, _ = strconv.Atoi(c[1])
		name = strings.TrimSuffix(name, c[0])
	}
	t.Name = plainName(name)
	_, t.KnownIssues = countIssues(m[5])
	r.swiftFinish(t)
	return true
}

// swiftFinish ends the open test with that name, else a new one.
func (r *Reader) swiftFinish(t Test) {
	k := swiftKey(t.Name)
	at, ok := r.tests.byName[k]
	if !ok {
		if at = r.swiftNote(t, k); at < 0 {
			r.log.LeftOff.Tests++
			r.countTest(t)
			return
		}
	}
	delete(r.tests.byName, k)
	known := &r.log.TestCases[at]
	t.Failures, t.Suite, t.Module = known.Failures, known.Suite, known.Module
	*known = t
	r.tests.stop(k)
	r.tellTest(t)
}

func swiftKey(name string) string { return "swift testing|" + name }

func (r *Reader) swiftNote(t Test, k string) int {
	if len(r.log.TestCases) >= r.most.tests {
		return -1
	}
	r.log.TestCases = append(r.log.TestCases, t)
	at := len(r.log.TestCases) - 1
	r.tests.byName[k] = at
	return at
}

// plainName is the display name or the function; `"name" (aka 'f()')` is both and keeps the first.
func plainName(s string) string {
	if m := aka.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return s
}

func (r *Reader) swiftSkip(s string) bool {
	m := stSkip.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if m[1] == "Test" {
		r.swiftFinish(Test{Framework: SwiftTesting, Name: plainName(m[2]), Status: Skipped, Reason: m[3]})
	}
	return true
}

func (r *Reader) swiftStart(s string) bool {
	name, ok := strings.CutSuffix(s, " started.")
	if !ok {
		return false
	}
	if name, ok = strings.CutPrefix(name, "Test "); ok {
		name = plainName(name)
		k := swiftKey(name)
		if _, open := r.tests.byName[k]; !open {
			r.swiftNote(Test{Framework: SwiftTesting, Name: name, Status: Unfinished}, k)
		}
		if len(r.tests.open) < maxList {
			r.tests.open = append(r.tests.open, k)
		}
	}
	return true
}

// swiftIssue reads one issue. An issue is not a failed test: a test can have several, and a known issue fails nothing.
func (r *Reader) swiftIssue(s string) bool {
	m := issue.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	f := Failure{Message: m[8], Arguments: m[4], Known: m[2] == "a known issue", Warning: m[2] == "a warning"}
	f.File = m[5]
	f.Line, _ = strconv.Atoi(m[6])
	f.Column, _ = strconv.Atoi(m[7])
	switch {
	case f.Known:
		r.log.Tests.KnownIssues++
	case !f.Warning:
		r.log.Tests.Issues++
	}
	name := plainName(m[1])
	k := swiftKey(name)
	at, ok := r.tests.byName[k]
	if !ok {
		if at = r.swiftNote(Test{Framework: SwiftTesting, Name: name, Status: Unfinished}, k); at < 0 {
			return true
		}
	}
	known := &r.log.TestCases[at]
	if len(known.Failures) < maxNotes {
		known.Failures = append(known.Failures, f)
		r.tests.issue = &issueRef{at, len(known.Failures) - 1}
	}
	return true
}

// issueDetail adds a further line to the issue above it.
func (r *Reader) issueDetail(text string) bool {
	r.closeCurrent()
	if at := r.tests.issue; at != nil {
		f := &r.log.TestCases[at.test].Failures[at.failure]
		if len(f.Details) < maxNotes {
			f.Details = append(f.Details, text)
		}
	}
	return true
}
