// Package builds keeps what came of builds and test runs in the store: each whole, as a document, and each error and warning as an
// entry among the others. It reads logs that were read by buildlog; it runs nothing.
package builds

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/telemetry"
)

// Kind is the kind of the documents.
const Kind = "build"

// process is who says the errors and warnings where no other tool is named, as quern has it.
const process = "xcodebuild"

// Swift is the tool that builds Swift packages.
const Swift = "swift"

// Result is a build or a test run. The keys that quern has are quern's.
type Result struct {
	ID            string    `json:"id"`
	Time          time.Time `json:"time"`
	Action        string    `json:"action,omitempty"` // in xcodebuild's words; empty: somebody else's log
	Tool          string    `json:"tool,omitempty"`   // empty: xcodebuild
	Project       string    `json:"project,omitempty"`
	Scheme        string    `json:"scheme,omitempty"`
	Configuration string    `json:"configuration,omitempty"`
	Destination   string    `json:"destination,omitempty"`
	Device        string    `json:"udid,omitempty"`
	Session       string    `json:"session,omitempty"` // whose it was
	TookMS        int64     `json:"took_ms,omitempty"`
	Logs          []string  `json:"logs,omitempty"` // the whole output of every run, the last one last
	Bundle        string    `json:"xcresult_path,omitempty"`

	Succeeded    bool         `json:"succeeded"`
	NotRun       bool         `json:"not_run,omitempty"` // its tests were only simulated: it neither succeeded nor failed
	Errors       []Diagnostic `json:"errors"`
	Warnings     []Diagnostic `json:"warnings"`
	ErrorCount   int          `json:"error_count"` // those that are not listed too
	WarningCount int          `json:"warning_count"`
	Tests        *Tests       `json:"tests"` // nil: none ran
	Lines        int          `json:"raw_line_count"`
}

// Diagnostic is an error or a warning. What has no place in a file, such as a linker's error, has file "" and line 0.
type Diagnostic struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
	Category string `json:"category,omitempty"` // compile, link, sign, …
	Times    int    `json:"times,omitempty"`    // it was printed, if not once
}

// At is file:line:column, as far as it is known.
func (d Diagnostic) At() string {
	return buildlog.Place{File: d.File, Line: d.Line, Column: d.Column}.At()
}

// Tests are the tests of a run.
type Tests struct {
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"`
	NotRun   int       `json:"not_run,omitempty"` // they were simulated
	Total    int       `json:"total"`
	Seconds  float64   `json:"duration"`
	From     string    `json:"from,omitempty"` // what it was read from, where that is not the log
	Failures []Failure `json:"failures"`
}

// Failure is a test that failed, with what it said.
type Failure struct {
	ID      string  `json:"id,omitempty"` // as -only-testing takes it
	Class   string  `json:"class_name"`
	Method  string  `json:"method"`
	Seconds float64 `json:"duration"`
	Message string  `json:"message"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
}

// mostListed bounds each list of a result; the counts and the log have all.
const mostListed = 500

// Of is what a log says. Whether a run of ours succeeded is known better by its exit code: see Decide.
func Of(l *buildlog.Log) Result {
	r := Result{Errors: []Diagnostic{}, Warnings: []Diagnostic{}, WarningCount: l.Warnings, ErrorCount: l.Errors, Lines: l.Lines}
	for _, d := range l.Diagnostics {
		switch {
		case d.Test != "" || d.Consequence && l.Errors > 0:
		case d.Severity.Bad() && len(r.Errors) < mostListed:
			r.Errors = append(r.Errors, diagnostic(d, "error"))
		case d.Severity == buildlog.Warning && len(r.Warnings) < mostListed:
			r.Warnings = append(r.Warnings, diagnostic(d, "warning"))
		}
	}
	r.ErrorCount = max(r.ErrorCount, len(r.Errors))
	r.Tests = testsOf(l)
	r.Succeeded = l.Result == buildlog.Succeeded ||
		l.Result == buildlog.Unknown && r.ErrorCount == 0 && (r.Tests == nil || r.Tests.Failed == 0)
	return r
}

func diagnostic(d buildlog.Diagnostic, severity string) Diagnostic {
	out := Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Severity: severity, Message: d.Message, Category: string(d.Category)}
	if d.Count > 1 {
		out.Times = d.Count
	}
	return out
}

func testsOf(l *buildlog.Log) *Tests {
	c := l.Tests
	t := &Tests{Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped, Failures: []Failure{}}
	if t.Total = c.Passed + c.Failed + c.Skipped + c.Unfinished; t.Total == 0 {
		return nil
	}
	for _, one := range l.TestCases {
		t.Seconds += one.Seconds
		if (one.Status == buildlog.Failed || one.Status == buildlog.Crashed) && len(t.Failures) < mostListed {
			f := Failure{ID: one.ID(), Class: one.Suite, Method: one.Name, Seconds: one.Seconds, Message: one.Reason}
			for _, why := range one.Failures {
				if !why.Known && !why.Warning {
					f.Message, f.File, f.Line = why.Message, why.File, why.Line
					break
				}
			}
			t.Failures = append(t.Failures, f)
		}
	}
	return t
}

// Decide says whether the run succeeded. Errors of one that did are of steps that were repeated: they do not count.
func (r *Result) Decide(succeeded bool) {
	if r.Succeeded = succeeded; succeeded {
		r.Errors, r.ErrorCount = []Diagnostic{}, 0
	}
}

// Status is how it ended, in a word.
func (r Result) Status() string {
	switch {
	case r.Succeeded:
		return "succeeded"
	case r.NotRun:
		return "not_run"
	}
	return Failed
}

// Failed is the status of a build that did not work.
const Failed = "failed"

// newID is a name for a result that no other has.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "b" + hex.EncodeToString(b[:])
}

// Keep stores a result and the entries of its errors and warnings. It gives the result with its id and time.
func Keep(ctx context.Context, s *telemetry.Store, r Result) (Result, error) {
	if r.ID == "" {
		r.ID = newID()
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	r.Time = r.Time.UTC()
	body, err := json.Marshal(r)
	if err != nil {
		return r, fmt.Errorf("build %s: %w", r.ID, err)
	}
	for _, list := range [][]Diagnostic{r.Errors, r.Warnings} {
		for _, d := range list {
			s.Add(r.entry(d))
		}
	}
	return r, s.Keep(ctx, telemetry.Document{Kind: Kind, ID: r.ID, Time: r.Time, Device: r.Device, Group: r.Scheme, Body: body})
}

func (r Result) entry(d Diagnostic) telemetry.Entry {
	e := telemetry.Entry{
		Time: r.Time, Device: r.Device, Process: cmp.Or(r.Tool, process), Source: telemetry.Build, Level: telemetry.Warning, Subsystem: r.Scheme,
		Category: d.Category, Message: d.Message, Count: max(d.Times, 1),
	}
	if d.Severity == "error" {
		e.Level = telemetry.Error
	}
	if at := d.At(); at != "" {
		e.Message = at + ": " + d.Message
	}
	return e
}

// Whose says which builds are a caller's.
type Whose struct {
	Session string
	Dir     string // the caller's folder; empty: it has none
}

// has reports whether a build is the caller's: it made the build, or the build's project is in the caller's folder or around it.
func (w Whose) has(r Result) bool {
	if w.Session != "" && r.Session == w.Session {
		return true
	}
	return w.Dir != "" && r.Project != "" && (within(w.Dir, r.Project) || within(filepath.Dir(r.Project), w.Dir))
}

func within(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inside)
}

// LastOf is the newest build of a caller; nil: there is none. A caller without a folder that built nothing is shown the newest of all:
// nobody can tell which project it means.
func LastOf(ctx context.Context, s *telemetry.Store, w Whose) (*Result, error) {
	for most := 16; ; most *= 8 {
		all, total, err := Last(ctx, s, most)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(all, w.has); i >= 0 {
			return &all[i], nil
		}
		if total > most {
			continue
		}
		if w.Dir == "" && len(all) > 0 {
			return &all[0], nil
		}
		return nil, nil
	}
}

// Last are the results that were kept last, newest first, and how many there are.
func Last(ctx context.Context, s *telemetry.Store, most int) ([]Result, int, error) {
	return find(ctx, s, telemetry.DocumentQuery{Kind: Kind, Limit: most})
}

// Find is the result of that id; found is false when there is none.
func Find(ctx context.Context, s *telemetry.Store, id string) (r Result, found bool, err error) {
	all, _, err := find(ctx, s, telemetry.DocumentQuery{Kind: Kind, ID: id, Limit: 1})
	if err != nil || len(all) == 0 {
		return Result{}, false, err
	}
	return all[0], true, nil
}

func find(ctx context.Context, s *telemetry.Store, q telemetry.DocumentQuery) ([]Result, int, error) {
	docs, total, err := s.Documents(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	all := make([]Result, 0, len(docs))
	for _, d := range docs {
		var r Result
		if err := json.Unmarshal(d.Body, &r); err != nil {
			return nil, 0, fmt.Errorf("build %s: %w", d.ID, err)
		}
		all = append(all, r)
	}
	return all, total, nil
}
