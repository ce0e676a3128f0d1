package builds

import (
	"cmp"

	"ios-agent/internal/fault"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/builder"
)

// Built is the result of a build with the field names of the core family. The views of XcodeBuildMCP keep the field names of the report.
type Built struct {
	Status       string            `json:"status"` // succeeded, failed or not_run
	Action       string            `json:"action"`
	TookMS       int64             `json:"took_ms"`
	Project      string            `json:"project_path,omitempty"`
	Workspace    string            `json:"workspace_path,omitempty"`
	Scheme       string            `json:"scheme,omitempty"`
	Config       string            `json:"configuration,omitempty"`
	Destination  string            `json:"destination,omitempty"`
	UDID         string            `json:"udid,omitempty"` // of the simulator or device
	AppPath      string            `json:"app_path,omitempty"`
	BundleID     string            `json:"bundle_id,omitempty"`
	PID          int               `json:"pid,omitempty"`
	Log          string            `json:"log,omitempty"`        // full output of the last run of xcodebuild
	OtherLogs    []string          `json:"other_logs,omitempty"` // of earlier runs
	Stdout       string            `json:"stdout_path,omitempty"`
	Stderr       string            `json:"stderr_path,omitempty"`
	Xcresult     string            `json:"xcresult_path,omitempty"`
	DerivedData  string            `json:"derived_data_path,omitempty"`
	ErrorCount   int               `json:"error_count"`
	WarningCount int               `json:"warning_count"`
	Diagnostics  []Diagnostic      `json:"diagnostics"` // errors, then warnings; the counts and the log have all
	Tests        *TestsOut         `json:"tests,omitempty"`
	Outline      string            `json:"outline,omitempty" lines:"ours"` // of the first screen
	Notes        []string          `json:"notes,omitempty"`
	Choices      []string          `json:"choices,omitempty"` // the chosen project, scheme and simulator, and why
	Sources      map[string]string `json:"sources,omitempty"` // of values that the call did not give, by input
	Commands     [][]string        `json:"commands"`          // argv of every run of xcodebuild

	of Out
}

// Diagnostic is an error or a warning.
type Diagnostic struct {
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	Location string   `json:"location,omitempty"` // file:line:column
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Category string   `json:"category,omitempty"`
	Excerpt  []string `json:"excerpt,omitempty"` // the source line and a mark
	FixIts   []string `json:"fix_its,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Output   []string `json:"output,omitempty"` // further lines of the tool
	Times    int      `json:"times,omitempty"`  // how often it was printed, if more than once
}

// TestsOut is the result of the tests.
type TestsOut struct {
	Total            int       `json:"total"`
	Passed           int       `json:"passed"`
	Failed           int       `json:"failed"`
	Skipped          int       `json:"skipped"`
	ExpectedFailures int       `json:"expected_failures,omitempty"`
	NotRun           int       `json:"not_run,omitempty"` // as in build.Counts
	From             string    `json:"from"`              // the source: result bundle or log
	Cases            []TestOut `json:"cases"`
}

// TestOut is one test.
type TestOut struct {
	ID         string            `json:"id"` // in the form of -only-testing
	Suite      string            `json:"suite,omitempty"`
	Test       string            `json:"test"`
	Status     string            `json:"status"`
	DurationMS int64             `json:"duration_ms,omitempty"`
	Failures   []builder.Failure `json:"failures,omitempty"`
}

// Text is the text of the report.
func (o Built) Text() string { return oneline.Draw(o.of, Out.Text) }

// Fault is the fault of the build, or of the step after it that failed.
func (o Built) Fault() *fault.Fault { return o.of.Fault() }

// builtStatus translates statuses into the words of the core family.
var builtStatus = map[string]string{builder.StatusSucceeded: "succeeded", builder.StatusFailed: "failed", builder.StatusNotRun: "not_run"}

// inCore makes the core family's answer from the report of a build.
func inCore(o Out, err error) (Built, error) {
	if err != nil {
		return Built{}, err
	}
	a, r := o.Artifacts, o.Request
	out := Built{
		Status: builtStatus[o.Summary.Status], Action: string(o.Summary.Action), TookMS: o.Summary.DurationMS,
		Project: r.ProjectPath, Workspace: r.WorkspacePath, Scheme: r.Scheme, Config: r.Configuration, Destination: r.Destination,
		UDID: cmp.Or(a.SimulatorID, a.DeviceID), AppPath: a.AppPath, BundleID: a.BundleID, PID: a.ProcessID,
		Log: a.BuildLogPath, OtherLogs: a.OtherLogPaths, Stdout: a.RuntimeLogPath, Stderr: a.ErrorLogPath,
		Xcresult: a.XcresultPath, DerivedData: a.DerivedData,
		ErrorCount: o.Diagnostics.ErrorCount, WarningCount: o.Diagnostics.WarningCount, Diagnostics: []Diagnostic{},
		Outline: o.Outline, Notes: o.Notes, Choices: r.Choices, Sources: r.Sources, Commands: r.Commands, of: o,
	}
	for _, d := range o.Diagnostics.Errors {
		out.Diagnostics = append(out.Diagnostics, diagnosticOf("error", d))
	}
	for _, d := range o.Diagnostics.Warnings {
		out.Diagnostics = append(out.Diagnostics, diagnosticOf("warning", d))
	}
	if t := o.Tests; t != nil {
		n := t.Counts
		out.Tests = &TestsOut{n.Total, n.Passed, n.Failed, n.Skipped, n.ExpectedFailures, n.NotRun, t.From, []TestOut{}}
		for _, c := range t.Cases {
			out.Tests.Cases = append(out.Tests.Cases, TestOut(c))
		}
	}
	return out, nil
}

func diagnosticOf(severity string, d builder.Diagnostic) Diagnostic {
	return Diagnostic{
		Severity: severity, Message: d.Message, Location: d.Location, File: d.File, Line: d.Line, Column: d.Column, Category: d.Category,
		Excerpt: d.Source, FixIts: d.FixIts, Notes: d.Notes, Output: d.Details, Times: d.Count,
	}
}
