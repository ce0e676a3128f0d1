package xcodebuild

import (
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/xcresult"
)

// count is the total of a suite.
type count struct {
	tests, failures, skipped int
	spent                    time.Duration
}

func (c *count) add(o count) {
	c.tests, c.failures, c.skipped, c.spent = c.tests+o.tests, c.failures+o.failures, c.skipped+o.skipped, c.spent+o.spent
}

// runBundle runs the tests of one bundle: first the XCTest tests, then the Swift Testing tests.
func (s *session) runBundle(p testProduct) xcresult.TestBundle {
	out := xcresult.TestBundle{Name: p.Target, UI: p.UI}
	s.launches++
	if strings.EqualFold(s.parallel, "YES") {
		out.Suites = s.parallelTests(p)
		return out
	}
	out.Suites = append(s.xctests(p), s.swiftTesting(p)...)
	return out
}

func (s *session) outermost() string {
	if len(s.only) > 0 || len(s.skip) > 0 {
		return "Selected tests"
	}
	return "All tests"
}

// suites groups tests by their type, in order of appearance.
func suites(all []testCase, swift bool) (groups [][]testCase) {
	at := map[string]int{}
	for _, t := range all {
		if t.Swift != swift {
			continue
		}
		i, there := at[t.Suite]
		if !there {
			i = len(groups)
			at[t.Suite] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

const testTime = "2006-01-02 15:04:05.000"

func skippedText(n int) string {
	if n == 0 {
		return ""
	}
	return plural(n, "test") + " skipped and "
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// logWords are the results in a log, where an expected failure counts as a success.
var logWords = map[string]string{xcresult.Passed: "passed", xcresult.Failed: "failed", xcresult.Skipped: "skipped",
	xcresult.ExpectedFailure: "passed"}

// notRun is why a test without a declared result is skipped. Callers recognize it by its beginning.
const notRun = "not run: Virtual Xcode cannot run this test"

// declared reports whether comments give the result of a test.
func (t testCase) declared() bool {
	return t.Skipped || t.Fine || t.Crashes != nil || len(t.Fails) > 0 || t.Passes > 0
}

// outcome is the result of a test, for the result bundle.
func (s *session) outcome(t testCase, ui bool) xcresult.Case {
	c := xcresult.Case{Name: t.Name, Display: t.Display, Swift: t.Swift, Result: xcresult.Passed, Start: unix(s.clock),
		Duration: t.took(ui).Seconds(), Arguments: t.Arguments,
		Tags: t.Tags, Warnings: t.Warns, Attachments: t.Attaches, Measures: t.Measures}
	switch {
	case !t.declared():
		return xcresult.Case{Name: t.Name, Display: t.Display, Swift: t.Swift, Result: xcresult.Skipped, Reason: notRun, Start: c.Start,
			Tags: t.Tags}
	case t.Skipped:
		c.Result, c.Reason = xcresult.Skipped, t.Skips
	case t.Fine:
		c.Result, c.Reason = xcresult.ExpectedFailure, t.Expected
	case t.crashed():
		c.Result, c.Failures = xcresult.Failed, []xcresult.Failure{{Message: fmt.Sprintf("Crash: Fatal error: %s", t.Crashes.Message)}}
	case len(t.Fails) > 0:
		c.Result = xcresult.Failed
		for _, f := range t.Fails {
			c.Failures = append(c.Failures, xcresult.Failure{File: t.File, Line: f.Line, Message: f.Message})
		}
	}
	return c
}

// uiStep is a line of a UI test's log.
type uiStep struct {
	at    float64 // seconds after its start
	depth int
	title string
}

// activities are the constant steps of a UI test.
func (s *session) activities(p testProduct, t testCase, c xcresult.Case) []xcresult.Activity {
	total := t.took(true).Seconds()
	all := []uiStep{
		{0, 0, "Start Test at " + s.clock.Format(testTime)}, {0.03, 0, "Set Up"}, {0.05, 1, "Open " + p.App}, {0.08, 2, "Launch " + p.App},
		{total * 0.6, 3, "Wait for " + p.App + " to idle"},
	}
	for _, f := range c.Failures {
		all = append(all, uiStep{total * 0.9, 0, fmt.Sprintf("Assertion Failure: %s:%d: %s", f.File[strings.LastIndex(f.File, "/")+1:],
			f.Line, f.Message)})
	}
	all = append(all, uiStep{total * 0.95, 0, "Tear Down"})
	var kept []xcresult.Activity
	for _, step := range all {
		fmt.Fprintf(s.Stdout, "    t = %8.2fs %s%s\n", step.at, strings.Repeat("    ", step.depth), step.title)
		kept = append(kept, xcresult.Activity{Title: step.title, Start: c.Start + step.at})
	}
	return kept
}
