package swiftpackage

import (
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/fault"
	"ios-agent/internal/text/oneline"
)

// The values of Result.Status.
const (
	Succeeded = "SUCCEEDED"
	Failed    = "FAILED"
	TimedOut  = "TIMED_OUT"
	Running   = "RUNNING"
)

// mostPrinted is the maximum size in bytes of a program's output in a result, mostListed the maximum number of diagnostics of a kind.
const (
	mostPrinted = 16 << 10
	mostListed  = 20
)

// Result is the result of a command.
type Result struct {
	Message  string   `json:"message"`
	Package  string   `json:"packagePath"`
	Status   string   `json:"status"` // SUCCEEDED, FAILED, TIMED_OUT or RUNNING
	ExitCode *int     `json:"exitCode,omitempty"`
	Errors   []string `json:"errors,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Tests    *Counts  `json:"counts,omitempty"`
	Failures []string `json:"testFailures,omitempty"`
	Output   string   `json:"output,omitempty" lines:"behind a margin"` // the end of both streams
	LogFile  string   `json:"logFilePath,omitempty"`
	Codecov  string   `json:"codecovPath,omitempty"`
	Process  int      `json:"processId,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`

	fault *fault.Fault
	log   *buildlog.Log
}

// Log is the parsed output of swift; nil without a build.
func (r *Result) Log() *buildlog.Log { return r.log }

// Counts are the numbers of tests by their result.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Text is the message, the diagnostics and the output.
func (r *Result) Text() string {
	lines := []string{r.Message}
	lines = append(lines, r.Errors...)
	for _, failure := range r.Failures {
		lines = append(lines, oneline.Head(failure))
	}
	lines = append(lines, r.Warnings...)
	if r.Output != "" {
		lines = append(lines, "--- output ---", oneline.Under(r.Output))
	}
	if r.LogFile != "" {
		lines = append(lines, "whole log: "+r.LogFile)
	}
	return strings.Join(lines, "\n")
}

// Fault is the failure as a fault; nil for a success.
func (r *Result) Fault() *fault.Fault { return r.fault }

// judge fills the result from the log. The exit code alone decides about success.
func (r *Result) judge(log *buildlog.Log, what string, code fault.Code) {
	for _, d := range log.Diagnostics {
		line := d.Message
		if at := d.At(); at != "" {
			line = at + ": " + line
		}
		switch {
		case d.Severity.Bad() && !d.Consequence && len(r.Errors) < mostListed:
			r.Errors = append(r.Errors, "error: "+line)
		case d.Severity == buildlog.Warning && len(r.Warnings) < mostListed:
			r.Warnings = append(r.Warnings, "warning: "+line)
		}
	}
	if r.Status == Succeeded {
		r.Message = "swift " + what + " succeeded"
		return
	}
	r.Message = fmt.Sprintf("swift %s failed with %d errors", what, log.Errors)
	r.fault = fault.New(code, "swift %s of %s failed", what, r.Package)
}

func (r *Result) judgeTests(log *buildlog.Log) {
	code := fault.TestsFailed
	if log.Tests.Failed == 0 {
		code = fault.BuildFailed // without a failed test, the package does not compile
	}
	r.judge(log, "test", code)
	r.Tests = &Counts{Passed: log.Tests.Passed, Failed: log.Tests.Failed, Skipped: log.Tests.Skipped}
	r.Message = fmt.Sprintf("%s: %d passed, %d failed, %d skipped", r.Message, r.Tests.Passed, r.Tests.Failed, r.Tests.Skipped)
	for _, t := range log.TestCases {
		for _, f := range t.Failures {
			if len(r.Failures) < mostListed {
				r.Failures = append(r.Failures, strings.Trim(fmt.Sprintf("%s: %s: %s", t.ID(), f.At(), f.Message), ": "))
			}
		}
	}
}

func (r *Result) judgeRun(log *buildlog.Log, limit time.Duration) {
	if r.Status == TimedOut {
		seconds := int(limit.Seconds())
		r.Message = fmt.Sprintf("ended after %d seconds; its output until then", seconds)
		r.fault = fault.New(fault.Timeout, "the program did not end within %d seconds and was ended", seconds).
			WithHint("set a higher timeout (maximum 300), or run the program with background: true")
		return
	}
	r.judge(log, "run", fault.ToolFailed)
	if r.Status == Failed && log.Errors > 0 {
		r.fault = fault.New(fault.BuildFailed, "the package does not compile: swift run of %s failed", r.Package)
	}
}

// endOf is the end of both outputs, stdout first.
func endOf(stdout, stderr []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(stdout), "\uFFFD"))
	if more := strings.TrimSpace(strings.ToValidUTF8(string(stderr), "\uFFFD")); more != "" {
		text = strings.TrimSpace(text + "\n" + more)
	}
	if len(text) <= mostPrinted {
		return text
	}
	end := strings.ToValidUTF8(text[len(text)-mostPrinted:], "")
	if _, rest, ok := strings.Cut(end, "\n"); ok {
		end = rest
	}
	return fmt.Sprintf("… %d bytes before this are in the log …\n", len(text)-len(end)) + end
}
