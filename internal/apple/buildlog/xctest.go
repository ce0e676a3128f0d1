package buildlog

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

var (
	caseLine = lazyregexp.New(`^Test [Cc]ase '(.+)' (started|passed|failed|skipped)(?: on '(.*)')?` +
		`(?: \(([\d.,]+) seconds\))?(?: \(Iteration.*\))?(?: at .*)?\.?$`)
	suiteLine   = lazyregexp.New(`^Test [Ss]uite '(.+)' (started|passed|failed|finished|skipped)(?: at (.*?)\.?| on '(.*)')?$`)
	prettySuite = lazyregexp.New(`^Test Suite (\S+) (started|passed|failed)(?: on '.*')?$`)
	executed    = lazyregexp.New(`^\s+Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?` +
		`(?: \((\d+) unexpected\))? in ([\d.]+)`)
	restarted = lazyregexp.New(`^Restarting after unexpected exit(?:, crash, or test timeout| or crash)?(?: in (.+?))?; summary will include`)
	activity  = lazyregexp.New(`^\s+t =\s+[\d.]+s\s+Assertion Failure: (.*)$`)
	measured  = lazyregexp.New(`^.*:\d+: Test Case '.+' measured \[`)
)

func isTestLine(s string) bool {
	return strings.HasPrefix(s, "Test Case '") || strings.HasPrefix(s, "Test Suite '") || strings.HasPrefix(s, "Test case '")
}

// xctest reads XCTest's lines. xcodebuild prints Swift Testing cases in the same form.
func (r *Reader) xctest(s string) bool {
	switch s[0] {
	case 'T':
		return r.testCase(s) || r.testSuite(s)
	case 'R':
		return r.restart(s)
	case ' ', '\t':
		return r.executed(s) || r.assertion(s)
	}
	if strings.Contains(s, "' measured [") && measured.MatchString(s) {
		r.closeCurrent()
		return true
	}
	return false
}

func (r *Reader) testCase(s string) bool {
	if !strings.HasPrefix(s, "Test Case '") && !strings.HasPrefix(s, "Test case '") {
		return false
	}
	m := caseLine.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	r.advance(RunningTests)
	t := nameTest(m[1])
	t.Device, t.Seconds = m[3], number(strings.ReplaceAll(m[4], ",", "."))
	if m[2] == "started" {
		r.tests.start(r, t)
		return true
	}
	t.Status = Status(m[2])
	r.tests.finish(r, t)
	return true
}

// nameTest reads -[Module.Suite test], Suite.test(), Module.Suite.test or, of Swift Testing, Suite/test() and test().
func nameTest(s string) Test {
	t := Test{Framework: XCTest, Name: s}
	if in, ok := strings.CutPrefix(s, "-["); ok {
		class, name, _ := strings.Cut(strings.TrimSuffix(in, "]"), " ")
		t.Name, t.Suite = name, class
		if m, c, ok := strings.Cut(class, "."); ok {
			t.Module, t.Suite = m, c
		}
		return t
	}
	plain := s
	if i := strings.IndexByte(plain, '('); i >= 0 {
		plain = plain[:i] // an argument label may be any text
	}
	if i := strings.LastIndexByte(plain, '/'); i >= 0 {
		t.Framework, t.Suite, t.Name = SwiftTesting, s[:i], s[i+1:]
		return t
	}
	if i := strings.LastIndexByte(plain, '.'); i >= 0 && i < len(plain)-1 {
		t.Suite, t.Name = s[:i], s[i+1:]
		return t
	}
	if strings.HasSuffix(s, ")") {
		t.Framework = SwiftTesting // a function outside of any type
	}
	return t
}

func (r *Reader) testSuite(s string) bool {
	if !strings.HasPrefix(s, "Test") {
		return false
	}
	if m := suiteLine.FindStringSubmatch(s); m != nil {
		r.closeCurrent()
		r.advance(RunningTests)
		r.tests.suite(m[1], m[2])
		return true
	}
	if m := prettySuite.FindStringSubmatch(s); m != nil {
		r.closeCurrent()
		r.advance(RunningTests)
		r.tests.suite(m[1], m[2])
		return true
	}
	if s == "Testing started" {
		r.closeCurrent()
		r.advance(RunningTests)
		return true
	}
	return false
}

// executed reads the totals below the end of a suite. Only the totals of the outermost suite are stored: they include the rest.
func (r *Reader) executed(s string) bool {
	if !strings.Contains(s, "Executed ") {
		return false
	}
	m := executed.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	t := Total{Framework: XCTest, Suite: r.tests.ended, Failed: r.tests.endedBadly, Seconds: number(m[5])}
	t.Tests, _ = strconv.Atoi(m[1])
	t.Skipped, _ = strconv.Atoi(m[2])
	t.Failures, _ = strconv.Atoi(m[3])
	if len(r.tests.suites) == 0 {
		r.total(t)
	}
	return true
}

func (r *Reader) total(t Total) {
	if len(r.log.Totals) < maxList {
		r.log.Totals = append(r.log.Totals, t)
	} else {
		r.log.LeftOff.Other++
	}
}

// restart reads that the test process ended and a new one continues.
func (r *Reader) restart(s string) bool {
	m := restarted.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	r.tests.crash(r, m[1])
	return true
}

// assertion reads a failure in the activity log of a user interface test.
func (r *Reader) assertion(s string) bool {
	if !strings.Contains(s, "Assertion Failure: ") {
		return false
	}
	m := activity.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	f := Failure{Message: m[1]}
	if place, message, ok := strings.Cut(m[1], ": "); ok {
		if p, ok := parsePlace(place); ok {
			f.Place, f.Message = p, message
		}
	}
	r.tests.failRunning(r, f)
	return true
}
