package builder

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/fault"
	"ios-agent/internal/text/brief"
)

// Report is the answer about a build or test run, for programs; Text is for people and models.
type Report struct {
	Summary     Summary     `json:"summary"`
	Request     Echo        `json:"request"`
	Artifacts   Artifacts   `json:"artifacts"`
	Diagnostics Diagnostics `json:"diagnostics"`
	Tests       *Tests      `json:"tests,omitempty"`

	dir      string
	log      *buildlog.Log
	quiet    bool
	simulate bool
}

// Summary is the status of a run.
type Summary struct {
	Status     string `json:"status"` // SUCCEEDED, FAILED or NOT_RUN
	Action     Action `json:"action"`
	DurationMS int64  `json:"durationMs"`
	Target     string `json:"target"` // simulator, device or macos
}

// The statuses of a run.
const (
	StatusSucceeded = "SUCCEEDED"
	StatusFailed    = "FAILED"
	StatusNotRun    = "NOT_RUN" // Virtual Xcode simulated the tests
)

// Echo is the request with its defaults. When a build succeeds here and fails elsewhere, one of these values differs.
type Echo struct {
	ProjectPath   string            `json:"projectPath,omitempty"`
	WorkspacePath string            `json:"workspacePath,omitempty"`
	Scheme        string            `json:"scheme,omitempty"`
	Configuration string            `json:"configuration,omitempty"`
	XCTestRun     string            `json:"xctestrunPath,omitempty"`
	Destination   string            `json:"destination,omitempty"`
	On            string            `json:"on,omitempty"`      // description of the destination
	Commands      [][]string        `json:"commands"`          // argv of every run of xcodebuild
	Sources       map[string]string `json:"sources,omitempty"` // origin of values that the call lacks
	Choices       []string          `json:"choices,omitempty"` // automatic choices with their reasons
}

// Artifacts are the files of a run.
type Artifacts struct {
	AppPath        string   `json:"appPath,omitempty"`
	BundleID       string   `json:"bundleId,omitempty"`
	ProcessID      int      `json:"processId,omitempty"`
	SimulatorID    string   `json:"simulatorId,omitempty"`
	DeviceID       string   `json:"deviceId,omitempty"`
	BuildLogPath   string   `json:"buildLogPath,omitempty"`
	OtherLogPaths  []string `json:"otherLogPaths,omitempty"` // of earlier phases
	RuntimeLogPath string   `json:"runtimeLogPath,omitempty"`
	ErrorLogPath   string   `json:"errorLogPath,omitempty"` // the app's stderr
	XcresultPath   string   `json:"xcresultPath,omitempty"`
	DerivedData    string   `json:"derivedDataPath,omitempty"`
	TestProducts   string   `json:"testProductsPath,omitempty"`
	XCTestRuns     []string `json:"xctestrunPaths,omitempty"`
}

// Diagnostics are the errors, warnings and failures of a run, without repetitions.
type Diagnostics struct {
	Errors       []Diagnostic `json:"errors"`
	Warnings     []Diagnostic `json:"warnings"`
	ErrorCount   int          `json:"errorCount"`
	WarningCount int          `json:"warningCount"`
}

// Diagnostic is one error, warning or failure.
type Diagnostic struct {
	Message  string   `json:"message"`
	Location string   `json:"location,omitempty"` // file:line:column
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Category string   `json:"category,omitempty"`
	Source   []string `json:"source,omitempty"` // the source line and a mark
	FixIts   []string `json:"fixIts,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Details  []string `json:"details,omitempty"`
	Count    int      `json:"count,omitempty"`
}

// Style are the options of a report.
type Style struct {
	Dir        string // paths below this folder are relative to it
	NoWarnings bool
	Target     string // simulator, device or macos
	On         string // description of the destination
}

// mostListed is the maximum number of diagnostics in an answer; the counts and the log include all.
const mostListed = 50

// Report makes the report of an outcome.
func (o *Outcome) Report(s Style) *Report {
	r := &Report{dir: s.Dir, log: o.Log, quiet: s.NoWarnings, simulate: o.Request.Simulate, Tests: o.Tests}
	r.Summary = Summary{Status: StatusFailed, Action: o.Request.Action, DurationMS: o.Took.Milliseconds(), Target: s.Target}
	switch {
	case o.Succeeded:
		r.Summary.Status = StatusSucceeded
	case o.NotRun:
		r.Summary.Status = StatusNotRun
	}
	r.Request = Echo{ProjectPath: o.Request.Project, WorkspacePath: o.Request.Workspace, Scheme: o.Request.Scheme,
		XCTestRun:   o.Request.TestRun,
		Destination: o.Request.Destination.String(), On: s.On, Commands: o.Commands}
	for _, u := range xcodeargs.Split(o.Request.ExtraArgs) {
		if u.Key == "-destination" {
			r.Request.Destination, r.Request.On = u.Value(), u.Value()
		}
	}
	if o.Request.Container() != "" {
		r.Request.Configuration = o.Request.configuration()
	}
	r.Artifacts = Artifacts{BuildLogPath: last(o.LogPaths), XcresultPath: o.Bundle, DerivedData: o.DerivedData,
		TestProducts: o.Request.Products}
	if n := len(o.LogPaths); n > 1 {
		r.Artifacts.OtherLogPaths = o.LogPaths[:n-1]
	}
	if o.Request.Action == BuildForTesting && o.Succeeded && o.DerivedData != "" {
		r.Artifacts.XCTestRuns = testRuns(o.DerivedData, o.Request.Destination.Platform)
	}
	r.diagnostics(o)
	return r
}

// Notes are the lines of Virtual Xcode about what it checked and did not check, without repetitions.
func (o *Outcome) Notes() (all []string) {
	for _, d := range o.Log.Diagnostics {
		if d.Severity == buildlog.Note && strings.HasPrefix(d.Message, apple.Virtual+": ") && !slices.Contains(all, d.Message) {
			all = append(all, brief.Clip(d.Message, 240))
		}
	}
	return all
}

// sdkNames are the names of SDKs in the names of files.
var sdkNames = map[string]string{
	IOS: "iphoneos", IOS + Simulated: "iphonesimulator", WatchOS: "watchos", WatchOS + Simulated: "watchsimulator", TVOS: "appletvos",
	TVOS + Simulated: "appletvsimulator", Vision: "xros", Vision + Simulated: "xrsimulator", MacOS: "macosx",
}

// testRuns are the files that describe the tests just built. The folder may also have files of builds for other platforms.
func testRuns(derivedData, platform string) []string {
	all, _ := filepath.Glob(filepath.Join(globQuote(derivedData), "Build/Products/*.xctestrun"))
	return slices.DeleteFunc(all, func(path string) bool { return !strings.Contains(filepath.Base(path), "_"+sdkNames[platform]) })
}

// globQuote escapes the characters that have a meaning in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// diagnostics takes the diagnostics of the log. Errors count only in a failed run: a repeated step prints errors too.
func (r *Report) diagnostics(o *Outcome) {
	r.Diagnostics = Diagnostics{Errors: []Diagnostic{}, Warnings: []Diagnostic{}, WarningCount: o.Log.Warnings}
	if !o.Succeeded {
		r.Diagnostics.ErrorCount = o.Log.Errors
	}
	var lines sources
	for i := range o.Log.Diagnostics {
		d := &o.Log.Diagnostics[i]
		switch {
		case d.Test != "" || d.Severity.Bad() && (o.Succeeded || d.Consequence && o.Log.Errors > 0):
		case d.Severity.Bad() && len(r.Diagnostics.Errors) < mostListed:
			lines.complete(d)
			r.Diagnostics.Errors = append(r.Diagnostics.Errors, diagnostic(*d))
		case d.Severity == buildlog.Warning && !r.quiet && len(r.Diagnostics.Warnings) < mostListed:
			r.Diagnostics.Warnings = append(r.Diagnostics.Warnings, diagnostic(*d))
		}
	}
	if r.quiet {
		r.Diagnostics.WarningCount = 0
	}
}

func diagnostic(d buildlog.Diagnostic) Diagnostic {
	out := Diagnostic{Message: d.Message, Location: d.At(), File: d.File, Line: d.Line, Column: d.Column, Category: string(d.Category),
		Source: d.Excerpt, FixIts: d.FixIts, Details: d.Details}
	if d.Count > 1 {
		out.Count = d.Count
	}
	for _, n := range d.Notes {
		out.Notes = append(out.Notes, strings.TrimPrefix(n.At()+": "+n.Message, ": "))
	}
	if strings.HasSuffix(strings.TrimSuffix(d.Message, "."), untrustedMacro) {
		out.Notes = append(out.Notes, "a macro runs its author's code at build time: trust it in Xcode, "+
			"or build with extraArgs [\""+skipMacros+"\"]")
	}
	for _, s := range d.Symbols {
		out.Details = append(out.Details, strings.TrimSpace(s.Name+" "+strings.Join(s.References[:min(1, len(s.References))], "")))
	}
	if len(d.Output) > 0 {
		out.Details = append(out.Details, d.Output[max(0, len(d.Output)-mostOutput):]...)
	}
	return out
}

// untrustedMacro is Xcode's message about an untrusted macro.
const untrustedMacro = "must be enabled before it can be used"

// mostOutput is the maximum number of last lines of a failed command in an answer.
const mostOutput = 12

// Fault is the failure as a fault; nil for a success.
func (r *Report) Fault() *fault.Fault {
	code, message := fault.BuildFailed, cmp.Or(r.counts(), r.what())
	switch {
	case r.Summary.Status == StatusSucceeded || r.Summary.Status == StatusNotRun && r.simulate:
		return nil
	case r.Summary.Status == StatusNotRun:
		code = fault.TestsNotRun
		message = fmt.Sprintf("Virtual Xcode ran 0 of %s: it cannot execute Swift test code", brief.Count(r.Tests.Counts.Total, "test"))
	case r.Tests != nil:
		code = fault.TestsFailed
	}
	f := fault.New(code, "%s", message)
	if log := r.Artifacts.BuildLogPath; log != "" {
		f = f.With("log", log)
	}
	return f
}

// Took is the duration of the run in words.
func (r *Report) Took() string {
	took := time.Duration(r.Summary.DurationMS) * time.Millisecond
	if took >= time.Second {
		took = took.Round(100 * time.Millisecond)
	}
	return took.String()
}
