package builder

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/xcresult"
)

// Tests is the result of a test run. It counts tests: a Swift Testing issue is a reason, not a test.
type Tests struct {
	Counts Counts `json:"counts"`
	Cases  []Case `json:"cases"`
	From   string `json:"from"` // source: result bundle or log

	notRun    []bool   // by case: skipped by Virtual Xcode, which cannot run it
	simulated bool     // by Virtual Xcode, which does not run the tests' code
	ran       []string // targets that Virtual Xcode ran with swift test
}

// Counts are numbers of tests.
type Counts struct {
	Total            int `json:"total"`
	Passed           int `json:"passed"`
	Failed           int `json:"failed"`
	Skipped          int `json:"skipped"`
	ExpectedFailures int `json:"expectedFailures,omitempty"`
	NotRun           int `json:"notRun,omitempty"` // on Virtual Xcode, without a declared failure or skip
}

// Case is one test.
type Case struct {
	ID         string    `json:"id"` // identifier for -only-testing
	Suite      string    `json:"suite,omitempty"`
	Test       string    `json:"test"`
	Status     string    `json:"status"` // passed, failed, skipped, expected failure, not run
	DurationMS int64     `json:"durationMs,omitempty"`
	Failures   []Failure `json:"failures,omitempty"`
}

// Failure is one reason for a failed test, with its place.
type Failure struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Of      string `json:"of,omitempty"` // argument or repetition of the test
}

// The statuses of a test.
const (
	passed          = "passed"
	failed          = "failed"
	skipped         = "skipped"
	expectedFailure = "expected failure"
	notRun          = "not run"
)

// The sources of results.
const (
	fromBundle = "result bundle"
	fromLog    = "log"
)

// readTests reads the result bundle or, without a usable bundle, the log; the answer names the source.
func (r *run) readTests(ctx context.Context) (*Tests, error) {
	tests, err := r.bundleTests(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil || tests.Counts.Total == 0 && r.out.Log.Tests.Passed+r.out.Log.Tests.Failed > 0 {
		tests = logTests(r.out.Log)
	}
	tests.locate(r.out.Log, r.request.folder())
	return tests, nil
}

func (r *run) bundleTests(ctx context.Context) (*Tests, error) {
	if _, err := os.Stat(r.out.Bundle); err != nil {
		return nil, err
	}
	summary, err := r.results(ctx, "summary")
	if err != nil {
		return nil, err
	}
	all, err := r.results(ctx, "tests")
	if err != nil {
		return nil, err
	}
	out := &Tests{From: fromBundle, Cases: []Case{}}
	if s := summary.Summary; s != nil {
		out.Counts = Counts{Total: s.Total, Passed: s.Passed, Failed: s.Failed, Skipped: s.Skipped, ExpectedFailures: s.ExpectedFailures}
	}
	if all.Tests != nil {
		for _, c := range all.Tests.Cases() {
			out.Cases, out.notRun = append(out.Cases, caseOf(c)), append(out.notRun, wasNotRun(c))
		}
	}
	return out, nil
}

func (r *run) results(ctx context.Context, what string) (*xcresult.Result, error) {
	out, err := r.ask(ctx, "xcrun", []string{"xcresulttool", "get", "test-results", what, "--path", r.out.Bundle, "--compact"}, "",
		r.request.Env)
	if err != nil {
		return nil, err
	}
	return xcresult.Read(out)
}

func caseOf(c xcresult.Case) Case {
	suite, _, _ := strings.Cut(c.Identifier, "/")
	if suite == c.Identifier {
		suite = "" // a function outside of every suite
	}
	out := Case{ID: join(c.Bundle, c.Identifier), Suite: suite, Test: c.Name, Status: strings.ToLower(c.Result),
		DurationMS: int64(c.Seconds * 1000)}
	if c.Result != xcresult.Failed {
		return out
	}
	for _, m := range c.Messages {
		out.Failures = append(out.Failures, Failure{Message: m.Text, File: m.File, Line: m.Line, Of: m.Of})
	}
	return out
}

func join(parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, "/")
}

// logTests reads the results from the log.
func logTests(l *buildlog.Log) *Tests {
	out := &Tests{From: fromLog, Cases: []Case{}, Counts: Counts{Passed: l.Tests.Passed, Failed: l.Tests.Failed, Skipped: l.Tests.Skipped}}
	out.Counts.Total = out.Counts.Passed + out.Counts.Failed + out.Counts.Skipped
	statuses := map[buildlog.Status]string{buildlog.Passed: passed, buildlog.Failed: failed, buildlog.Crashed: failed,
		buildlog.Skipped: skipped, buildlog.Unfinished: failed}
	for _, t := range l.TestCases {
		c := Case{ID: t.ID(), Suite: t.Suite, Test: t.Name, Status: statuses[t.Status], DurationMS: int64(t.Seconds * 1000)}
		for _, f := range t.Failures {
			if !f.Known {
				c.Failures = append(c.Failures, Failure{Message: f.Message, File: f.File, Line: f.Line, Of: f.Arguments})
			}
		}
		if len(c.Failures) == 0 && c.Status == failed && t.Reason != "" {
			c.Failures = []Failure{{Message: t.Reason}}
		}
		out.Cases = append(out.Cases, c)
	}
	return out
}

// wasNotRun reports whether Virtual Xcode skipped a test because it cannot run it.
func wasNotRun(c xcresult.Case) bool {
	return c.Result == xcresult.Skipped && slices.ContainsFunc(c.Messages, func(m xcresult.Message) bool {
		return strings.HasPrefix(strings.TrimPrefix(m.Text, "Test skipped - "), notRun+": ")
	})
}

// ranBySwift begins the line of Virtual Xcode that names a target whose tests it ran with swift test.
const ranBySwift = apple.Virtual + ": run by swift test: "

// markSimulated changes the tests that Virtual Xcode skipped, or reports as passed, to "not run". Virtual Xcode executes the tests of some
// packages only: it takes other results from comments in the sources, and skips all other tests.
func (t *Tests) markSimulated(notes []string) {
	t.simulated = true
	for _, n := range notes {
		if target, is := strings.CutPrefix(n, ranBySwift); is {
			t.ran = append(t.ran, target)
		}
	}
	for i := range t.Cases {
		c := &t.Cases[i]
		switch {
		case i < len(t.notRun) && t.notRun[i]:
			t.Counts.Skipped--
		case c.Status == passed && !t.wasRun(*c):
			t.Counts.Passed--
		default:
			continue
		}
		t.Counts.NotRun++
		c.Status, c.DurationMS = notRun, 0
	}
}

// wasRun reports whether the code of a test was executed.
func (t *Tests) wasRun(c Case) bool {
	target, _, _ := strings.Cut(c.ID, "/")
	return !t.simulated || slices.Contains(t.ran, target)
}

// locate completes the places of failures, because result bundles name files without their folders. It takes full paths from the log,
// else from the project if only one file has the name.
func (t *Tests) locate(l *buildlog.Log, folder string) {
	whole := map[string]string{}
	note := func(path string) {
		if filepath.IsAbs(path) {
			whole[filepath.Base(path)] = path
		}
	}
	for _, c := range l.TestCases {
		for _, f := range c.Failures {
			note(f.File)
		}
	}
	for _, d := range l.Diagnostics {
		note(d.File)
	}
	var files map[string]string
	for i := range t.Cases {
		for j := range t.Cases[i].Failures {
			f := &t.Cases[i].Failures[j]
			if f.File == "" || filepath.IsAbs(f.File) {
				continue
			}
			if path := whole[filepath.Base(f.File)]; path != "" {
				f.File = path
				continue
			}
			if files == nil {
				files = swiftFiles(folder)
			}
			if path := files[filepath.Base(f.File)]; path != "" {
				f.File = path
			}
		}
	}
}
