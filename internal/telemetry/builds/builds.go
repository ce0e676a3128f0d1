// Package builds stores the results of builds and test runs: each Result as a document, and each of its errors and warnings as an entry. Of
// makes a Result from a log that buildlog has read, and Keep stores it. The package does not run builds: xcode/builder does.
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

// process is the process of errors and warnings without a named tool, as in quern.
const process = "xcodebuild"

// Swift is the tool that builds Swift packages.
const Swift = "swift"

// Result is the result of a build or a test run. It uses quern's keys where quern has them.
type Result struct {
	ID            string    `json:"id"`
	Time          time.Time `json:"time"`
	Action        string    `json:"action,omitempty"` // in xcodebuild's words; empty: the log came from elsewhere
	Tool          string    `json:"tool,omitempty"`   // empty: xcodebuild
	Project       string    `json:"project,omitempty"`
	Scheme        string    `json:"scheme,omitempty"`
	Configuration string    `json:"configuration,omitempty"`
	Destination   string    `json:"destination,omitempty"`
	Device        string    `json:"udid,omitempty"`
	Session       string    `json:"session,omitempty"` // session that ran it
	TookMS        int64     `json:"took_ms,omitempty"`
	Logs          []string  `json:"logs,omitempty"` // files with the output of every run, in order
	Bundle        string    `json:"xcresult_path,omitempty"`

	Succeeded    bool         `json:"succeeded"`
	NotRun       bool         `json:"not_run,omitempty"` // the tests were only simulated: the run neither succeeded nor failed
	Errors       []Diagnostic `json:"errors"`
	Warnings     []Diagnostic `json:"warnings"`
	ErrorCount   int          `json:"error_count"` // includes unlisted errors
	WarningCount int          `json:"warning_count"`
	Tests        *Tests       `json:"tests"` // nil: no test ran
	Lines        int          `json:"raw_line_count"`
}

// Diagnostic is an error or a warning. Without a place in a file, as for a linker's error, File is "" and Line 0.
type Diagnostic struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
	Category string `json:"category,omitempty"` // compile, link, sign, …
	Times    int    `json:"times,omitempty"`    // number of repeats if above one
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
	NotRun   int       `json:"not_run,omitempty"` // simulated tests
	Total    int       `json:"total"`
	Seconds  float64   `json:"duration"`
	From     string    `json:"from,omitempty"` // source of the tests, if it is not the log
	Failures []Failure `json:"failures"`
}

// Failure is a failed test with its message.
type Failure struct {
	ID      string  `json:"id,omitempty"` // for -only-testing
	Class   string  `json:"class_name"`
	Method  string  `json:"method"`
	Seconds float64 `json:"duration"`
	Message string  `json:"message"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
}

// mostListed is the maximum length of each list of a result; the counts and the log are complete.
const mostListed = 500

// Of is the result in a log. The exit code of a run decides better whether the run succeeded: see Decide.
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

// Decide sets whether the run succeeded. Errors of a successful run belong to repeated steps and do not count.
func (r *Result) Decide(succeeded bool) {
	if r.Succeeded = succeeded; succeeded {
		r.Errors, r.ErrorCount = []Diagnostic{}, 0
	}
}

// Status is the result in a word.
func (r Result) Status() string {
	switch {
	case r.Succeeded:
		return "succeeded"
	case r.NotRun:
		return "not_run"
	}
	return Failed
}

// Failed is the status of a failed build.
const Failed = "failed"

// newID is a unique name for a result.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "b" + hex.EncodeToString(b[:])
}

// Keep stores a result and the entries of its errors and warnings. It returns the result with its id and time.
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

// Whose says which builds belong to a caller.
type Whose struct {
	Session string
	Dir     string // folder of the caller; may be empty
}

// has reports whether a build belongs to the caller: the caller made it, or its project contains the caller's folder or lies in it.
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

// LastOf is the newest build of a caller; nil without a build. A caller without a folder and without builds gets the newest of
// all, because its project is unknown.
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

// Last are the latest results, newest first, and the number of all results.
func Last(ctx context.Context, s *telemetry.Store, most int) ([]Result, int, error) {
	return find(ctx, s, telemetry.DocumentQuery{Kind: Kind, Limit: most})
}

// Find is the result with an id; found is false for an unknown id.
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
