package xcodebuild

import (
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/xcresult"
)

// xctestRun runs a bundle's XCTest tests, in one process or, after crashes, in several.
type xctestRun struct {
	s    *session
	p    testProduct
	open []*openSuite
}

// openSuite is a running suite. Its counts survive a new process; its times do not.
type openSuite struct {
	name  string
	begin time.Time
	count count
}

// xctests runs the XCTest tests; a bundle without tests still prints its suites.
func (s *session) xctests(p testProduct) (out []xcresult.Suite) {
	r := &xctestRun{s: s, p: p}
	r.enter(s.outermost())
	r.enter(p.Target + ".xctest")
	for _, tests := range suites(p.Tests, false) {
		kept := xcresult.Suite{Name: tests[0].Suite}
		r.enter(tests[0].Suite)
		for _, t := range tests {
			kept.Cases = append(kept.Cases, r.test(t))
		}
		r.leave()
		out = append(out, kept)
	}
	r.leave()
	r.leave()
	return out
}

func (r *xctestRun) enter(name string) {
	r.open = append(r.open, &openSuite{name: name})
	r.begin(r.open[len(r.open)-1])
}

func (r *xctestRun) begin(o *openSuite) {
	o.begin, o.count.spent = r.s.clock, 0
	fmt.Fprintf(r.s.Stdout, "Test Suite '%s' started at %s.\n", o.name, o.begin.Format(testTime))
}

func (r *xctestRun) leave() {
	o := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	result, c := "passed", o.count
	if c.failures > 0 {
		result = "failed"
	}
	fmt.Fprintf(r.s.Stdout, "Test Suite '%s' %s at %s.\n\t Executed %s, with %s%s (0 unexpected) in %.3f (%.3f) seconds\n",
		o.name, result, r.s.clock.Format(testTime), plural(c.tests, "test"), skippedText(c.skipped), plural(c.failures, "failure"),
		c.spent.Seconds(), r.s.since(o.begin))
}

// test runs a test and its repetitions.
func (r *xctestRun) test(t testCase) xcresult.Case {
	var kept []xcresult.Case
	for _, i := range r.s.runs(t, r.p.UI) {
		c := r.once(i)
		kept = append(kept, c)
		n := count{tests: 1, failures: len(c.Failures), spent: i.took(r.p.UI)}
		if c.Result == xcresult.Skipped {
			n.skipped = 1
		}
		if !t.declared() {
			n.tests = 0
		}
		for _, o := range r.open {
			o.count.add(n)
		}
		if i.crashed() {
			r.restart(t)
		}
	}
	return r.s.sum(kept)
}

// crashed is set if the process ended in this run.
func (t testCase) crashed() bool { return t.Crashes != nil && !t.Skipped }

// restart prints the lines after a crash: the suites start again, with the remaining tests.
func (r *xctestRun) restart(t testCase) {
	r.s.restarting(strings.ReplaceAll(t.Suite, "/", ".") + "." + t.Name)
	r.open[0].name = "Selected tests"
	for _, o := range r.open {
		r.begin(o)
	}
}

// restarting names the test that ended the process.
func (s *session) restarting(id string) {
	fmt.Fprintf(s.Stdout, "\nRestarting after unexpected exit, crash, or test timeout in %s; summary will include totals from previous "+
		"launches.\n\n", id)
	s.launches++
	s.clock = s.clock.Add(costLaunch)
}

// once prints one run of a test.
func (r *xctestRun) once(t iteration) xcresult.Case {
	s := r.s
	id := fmt.Sprintf("-[%s.%s %s]", r.p.Module, strings.ReplaceAll(t.Suite, "/", "."), strings.SplitN(t.Name, "(", 2)[0])
	kept := s.outcome(t.testCase, r.p.UI)
	fmt.Fprintf(s.Stdout, "Test Case '%s' started%s.\n", id, t.text())
	if !t.declared() {
		fmt.Fprintf(s.Stdout, "%s:%d: %s : Test skipped - %s\nTest Case '%s' skipped (0.000 seconds).\n", t.File, t.SkipLine, id, kept.Reason, id)
		return kept
	}
	for _, line := range t.Prints {
		fmt.Fprintln(s.Stdout, line)
	}
	if r.p.UI {
		kept.Activities = s.activities(r.p, t.testCase, kept)
	}
	s.clock = s.clock.Add(t.took(r.p.UI))
	if t.crashed() {
		s.fatal(r.p, t.testCase)
		return kept
	}
	for _, f := range kept.Failures {
		fmt.Fprintf(s.Stdout, "%s:%d: error: %s : %s\n", f.File, f.Line, id, f.Message)
	}
	if len(t.Measures) > 0 {
		fmt.Fprintln(s.Stdout, t.measured(id))
	}
	if kept.Result == xcresult.Skipped {
		fmt.Fprintf(s.Stdout, "%s:%d: %s : Test skipped - %s\n", t.File, t.SkipLine, id, t.Skips)
	}
	fmt.Fprintf(s.Stdout, "Test Case '%s' %s (%.3f seconds).\n", id, logWords[kept.Result], kept.Duration)
	return kept
}

// process is the name and number of the test process.
func (s *session) process(p testProduct) string {
	return fmt.Sprintf("%s (%d)", p.host(), s.pid())
}

// pid is the number of the test process; it changes after a crash. The process does not exist.
func (s *session) pid() int { return 41000 + s.launches }

// fatal prints the process's last message on both streams.
func (s *session) fatal(p testProduct, t testCase) {
	line := fmt.Sprintf("%s/%s:%d: Fatal error: %s", p.Module, t.File[strings.LastIndex(t.File, "/")+1:], t.Crashes.Line, t.Crashes.Message)
	fmt.Fprintf(s.Stdout, "%s\n%s %s[%d:%d] %s\n\n", line, s.clock.Format("2006-01-02 15:04:05.000000-0700"), p.host(), s.pid(),
		s.pid()*16, line)
}
