package xcodebuild

import (
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/xcresult"
)

// swiftTesting runs the Swift Testing tests; a bundle without such tests prints nothing about them.
func (s *session) swiftTesting(p testProduct) (out []xcresult.Suite) {
	groups := suites(p.Tests, true)
	if len(groups) == 0 {
		return nil
	}
	begin, tests, issues := s.clock, 0, 0
	fmt.Fprintf(s.Stdout, "◇ Test run started.\n%s", s.swiftVersion())
	for _, group := range groups {
		suite, failed := s.swiftSuite(p, group)
		out = append(out, suite)
		tests, issues = tests+executed(group), issues+failed
	}
	glyph, result := verdict(issues)
	fmt.Fprintf(s.Stdout, "%s Test run with %s %s after %.3f seconds%s.\n", glyph, plural(tests, "test"), result, s.since(begin),
		withIssues(issues))
	return out
}

func (s *session) swiftVersion() string {
	return fmt.Sprintf("↳ Testing Library Version: 124.4 (arm64-apple-%s)\n", fmt.Sprintf(s.destination.triple, "13.0"))
}

// executed is the number of tests whose results are declared.
func executed(group []testCase) (n int) {
	for _, t := range group {
		if t.declared() {
			n++
		}
	}
	return n
}

func verdict(issues int) (glyph, result string) {
	if issues > 0 {
		return "✘", "failed"
	}
	return "✔", "passed"
}

func withIssues(n int) string {
	if n == 0 {
		return ""
	}
	return " with " + plural(n, "issue")
}

func (s *session) since(t time.Time) float64 { return s.clock.Sub(t).Seconds() }

func (s *session) swiftSuite(p testProduct, group []testCase) (xcresult.Suite, int) {
	begin, issues := s.clock, 0
	suite := xcresult.Suite{Name: group[0].Suite, Display: group[0].SuiteDisplay}
	name := suite.Name[strings.LastIndex(suite.Name, "/")+1:]
	if suite.Display != "" {
		name = `"` + suite.Display + `"`
	}
	if name != "" && executed(group) > 0 {
		fmt.Fprintf(s.Stdout, "◇ Suite %s started.\n", name)
	}
	for _, t := range group {
		var kept []xcresult.Case
		for _, i := range s.runs(t, false) {
			kept = append(kept, s.swiftTest(p, i))
		}
		c := s.sum(kept)
		suite.Cases = append(suite.Cases, c)
		issues += len(c.Failures)
	}
	if name != "" && executed(group) > 0 {
		glyph, result := verdict(issues)
		fmt.Fprintf(s.Stdout, "%s Suite %s %s after %.3f seconds%s.\n", glyph, name, result, s.since(begin), withIssues(issues))
	}
	return suite, issues
}

func (s *session) swiftTest(p testProduct, t iteration) xcresult.Case {
	name := t.Name
	if t.Display != "" {
		name = `"` + t.Display + `"`
	}
	c := s.outcome(t.testCase, false)
	if c.Result == xcresult.Skipped {
		reason := "."
		if c.Reason != "" {
			reason = fmt.Sprintf(": %q", c.Reason)
		}
		fmt.Fprintf(s.Stdout, "➜ Test %s skipped%s\n", name, reason)
		return c
	}
	fmt.Fprintf(s.Stdout, "◇ Test %s started.\n", name)
	with := ""
	if len(t.Arguments) > 0 {
		with = " with " + plural(len(t.Arguments), "test case")
	}
	for _, line := range t.Prints {
		fmt.Fprintln(s.Stdout, line)
	}
	s.clock = s.clock.Add(t.took(false))
	if t.crashed() {
		s.fatal(p, t.testCase)
		s.restarting(strings.TrimPrefix(t.Suite+"/"+t.Name, "/"))
		fmt.Fprintf(s.Stdout, "◇ Test run started.\n%s", s.swiftVersion())
		return c
	}
	for i, f := range c.Failures {
		fmt.Fprintf(s.Stdout, "✘ Test %s recorded an issue at %s:%d:%d: %s\n", name, f.File[strings.LastIndex(f.File, "/")+1:], f.Line,
			t.Fails[i].Column, f.Message)
	}
	glyph, result := verdict(len(c.Failures))
	fmt.Fprintf(s.Stdout, "%s Test %s%s %s after %.3f seconds%s.\n", glyph, name, with, result, c.Duration, withIssues(len(c.Failures)))
	return c
}
