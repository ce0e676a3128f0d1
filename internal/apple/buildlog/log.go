// Package buildlog reads the output of xcodebuild and swift during builds and tests: diagnostics, tests, progress and result. A Reader
// takes the output as it comes and returns a Log; Read reads a whole log. It stores a bounded amount however long the log is, and the
// result does not depend on how the bytes are split. Callers must judge a run by the exit code and the result bundle; a log alone can only
// support that.
package buildlog

import "ios-agent/internal/apple/destinations"

// Severity is how bad a diagnostic is.
type Severity string

// The severities, as the compilers write them.
const (
	Fatal   Severity = "fatal" // "fatal error"
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Bad reports whether it is an error of either kind.
func (s Severity) Bad() bool { return s == Error || s == Fatal }

// Category is the subject of a diagnostic.
type Category string

// The categories.
const (
	Compile     Category = "compile"
	Link        Category = "link"
	Sign        Category = "sign"
	Package     Category = "package"
	Destination Category = "destination"
	Script      Category = "script"
	Testing     Category = "test"
	Other       Category = "other"
)

// Place is where in a file something is. Line and Column count from 1; 0 is unknown. Object is a part of a file that has
// no lines, such as the icon set of an asset catalogue or the view of a storyboard.
type Place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Object string `json:"object,omitempty"`
}

// Diagnostic is one complaint of a tool, however often it was printed.
type Diagnostic struct {
	Place
	Severity Severity          `json:"severity"`
	Category Category          `json:"category"`
	Tool     string            `json:"tool,omitempty"` // the reporting tool, if known: clang, ld, xcodebuild
	Message  string            `json:"message"`
	Details  []string          `json:"details,omitempty"` // further lines of the message
	Excerpt  []string          `json:"excerpt,omitempty"` // the source lines and marks the compiler printed
	FixIts   []string          `json:"fixIts,omitempty"`  // the compiler's proposed text
	Notes    []Remark          `json:"notes,omitempty"`
	Includes []string          `json:"includes,omitempty"` // "In file included from …"
	Symbols  []Symbol          `json:"symbols,omitempty"`  // of the linker
	Output   []string          `json:"output,omitempty"`   // the last lines of a command that failed without a reason
	Targets  []string          `json:"targets,omitempty"`
	Project  string            `json:"project,omitempty"`
	Test     string            `json:"test,omitempty"` // of a failed expectation
	Places   destinations.List `json:"destinations,omitzero"`
	Count    int               `json:"count"`
	// Consequence marks a diagnostic that only reports another failure, such as "linker command failed with exit code 1".
	Consequence bool `json:"consequence,omitempty"`
}

// Remark is a note that belongs to a diagnostic.
type Remark struct {
	Place
	Message string   `json:"message"`
	Excerpt []string `json:"excerpt,omitempty"`
	FixIts  []string `json:"fixIts,omitempty"`
}

// Symbol is a missing or duplicate symbol of the linker.
type Symbol struct {
	Name       string   `json:"name"`
	References []string `json:"references,omitempty"`
}

// Status is how a test ended.
type Status string

// The states of a test.
const (
	Passed     Status = "passed"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
	Crashed    Status = "crashed" // its process ended; counts as failed
	Unfinished Status = "unfinished"
)

// The frameworks tests are written with.
const (
	XCTest       = "XCTest"
	SwiftTesting = "Swift Testing"
)

// Test is one test, over all its runs.
type Test struct {
	Framework   string    `json:"framework"`
	Module      string    `json:"module,omitempty"`
	Suite       string    `json:"suite,omitempty"` // absent in Swift Testing's own lines
	Name        string    `json:"name"`
	Status      Status    `json:"status"`
	Seconds     float64   `json:"seconds,omitempty"`
	Device      string    `json:"device,omitempty"`
	Runs        int       `json:"runs,omitempty"` // when repeated
	FailedRuns  int       `json:"failedRuns,omitempty"`
	Cases       int       `json:"cases,omitempty"` // arguments of a parameterised test
	KnownIssues int       `json:"knownIssues,omitempty"`
	Reason      string    `json:"reason,omitempty"` // why it was skipped, or what it crashed of
	Failures    []Failure `json:"failures,omitempty"`
}

// Failure is one failed expectation. A Swift Testing issue is one too; a test can have several.
type Failure struct {
	Place
	Message   string   `json:"message"`
	Arguments string   `json:"arguments,omitempty"`
	Details   []string `json:"details,omitempty"`
	Known     bool     `json:"known,omitempty"`   // withKnownIssue: the test does not fail because of it
	Warning   bool     `json:"warning,omitempty"` // an issue of severity warning
}

// TestCounts counts tests, not issues.
type TestCounts struct {
	Passed      int `json:"passed"`
	Failed      int `json:"failed"` // crashed ones too
	Skipped     int `json:"skipped"`
	Crashed     int `json:"crashed,omitempty"`
	Unfinished  int `json:"unfinished,omitempty"`
	Issues      int `json:"issues,omitempty"` // recorded by Swift Testing, known ones not counted
	KnownIssues int `json:"knownIssues,omitempty"`
}

// Total is one summary line of a test run, as it was printed.
type Total struct {
	Framework string  `json:"framework"`
	Suite     string  `json:"suite,omitempty"`
	Tests     int     `json:"tests"`
	Suites    int     `json:"suites,omitempty"`
	Skipped   int     `json:"skipped,omitempty"`
	Failures  int     `json:"failures,omitempty"` // XCTest: failed assertions
	Issues    int     `json:"issues,omitempty"`   // Swift Testing: issues, which are not failed tests
	Failed    bool    `json:"failed,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
}

// Outcome is one banner, such as ** TEST FAILED **.
type Outcome struct {
	Action  string  `json:"action"` // BUILD, TEST EXECUTE, ARCHIVE
	Result  string  `json:"result"` // SUCCEEDED, FAILED, INTERRUPTED
	Seconds float64 `json:"seconds,omitempty"`
}

// Stage is how far a run is. A run only advances.
type Stage int

// The stages.
const (
	Starting Stage = iota
	ResolvingPackages
	Compiling
	Linking
	RunningTests
)

var stageNames = [...]string{"starting", "resolving packages", "compiling", "linking", "running tests"}

func (s Stage) String() string { return stageNames[s] }

// MarshalText writes the name.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Progress is the progress so far.
type Progress struct {
	Stage    Stage    `json:"stage"`
	Task     string   `json:"task,omitempty"`   // the current step, such as SwiftCompile
	Target   string   `json:"target,omitempty"` // the target of the step
	Compiled int      `json:"compiled,omitempty"`
	Linked   int      `json:"linked,omitempty"`
	Targets  []string `json:"targets,omitempty"` // seen so far
	Total    int      `json:"total,omitempty"`   // number of targets, or of steps of a SwiftPM build
	Done     int      `json:"done,omitempty"`    // steps of a SwiftPM build
}

// The results of a log.
const (
	Succeeded   = "succeeded"
	FailedRun   = "failed"
	Interrupted = "interrupted"
	Unknown     = "unknown"
)

// Log is the whole content of a log.
type Log struct {
	Result       string       `json:"result"`
	Because      string       `json:"because,omitempty"` // the grounds of Result
	Outcomes     []Outcome    `json:"outcomes,omitempty"`
	Errors       int          `json:"errors"`   // different errors, without failed expectations and consequences
	Warnings     int          `json:"warnings"` // different ones
	Tests        TestCounts   `json:"tests"`
	Progress     Progress     `json:"progress"`
	Diagnostics  []Diagnostic `json:"diagnostics,omitempty"`
	TestCases    []Test       `json:"testCases,omitempty"`
	Totals       []Total      `json:"totals,omitempty"`
	Restarts     []string     `json:"restarts,omitempty"`       // tests in which the test process ended
	FailingTests []string     `json:"failingTests,omitempty"`   // as listed at the end
	FailedSteps  []string     `json:"failedCommands,omitempty"` // as listed at the end
	Bundles      []string     `json:"resultBundles,omitempty"`
	Packages     []string     `json:"packages,omitempty"` // as resolved
	Invocation   string       `json:"invocation,omitempty"`
	Lines        int          `json:"lines"`
	LeftOff      LeftOff      `json:"leftOff,omitzero"`
}

// LeftOff counts items that were read but not stored, so that memory stays bounded.
type LeftOff struct {
	Diagnostics int `json:"diagnostics,omitempty"`
	Tests       int `json:"tests,omitempty"`
	LongLines   int `json:"longLines,omitempty"`
	Other       int `json:"other,omitempty"`
}
