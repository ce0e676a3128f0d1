// Package xcresult reads the output of xcresulttool and xccov about a result bundle. It reads test results, build results, metrics,
// coverage, and the object graph of the older `get --format json`. Read returns a Result, whose typed field depends on the Form. The rest
// of a document is stored unchanged.
package xcresult

import (
	"encoding/json"
	"errors"
	"fmt"

	"ios-agent/internal/apple/jsondoc"
)

// Form is the kind of a document.
type Form string

// The forms.
const (
	FormSummary      Form = "test-results summary"
	FormTests        Form = "test-results tests"
	FormDetails      Form = "test-results test-details"
	FormActivities   Form = "test-results activities"
	FormInsights     Form = "test-results insights"
	FormMetrics      Form = "test-results metrics"
	FormBuild        Form = "build-results"
	FormCoverage     Form = "coverage report"
	FormFileCoverage Form = "coverage of files"
	FormGraph        Form = "object graph"  // of `get --format json --legacy`
	FormStored       Form = "stored object" // the same as stored inside a bundle
	FormOther        Form = "other"         // content-availability, log, and future kinds
)

// Result is one document; the field of its form is set.
type Result struct {
	Form         Form            `json:"form"`
	Summary      *Summary        `json:"summary,omitempty"`
	Tests        *Tests          `json:"tests,omitempty"`
	Details      *Details        `json:"details,omitempty"`
	Activities   *Activities     `json:"activities,omitempty"`
	Metrics      []TestMetrics   `json:"metrics,omitempty"`
	Build        *Build          `json:"build,omitempty"`
	Coverage     *Coverage       `json:"coverage,omitempty"`
	FileCoverage *FileCoverage   `json:"fileCoverage,omitempty"`
	Graph        *Graph          `json:"graph,omitempty"`
	Document     json.RawMessage `json:"document,omitempty"` // of a form without a field
}

// MarshalJSON also writes the parts that were not understood.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	return jsondoc.Encode(plain(r))
}

// formOf derives the form from the outline of a document; empty when the form is unknown.
func formOf(o jsondoc.Outline) Form {
	switch {
	case o.Kind == '[':
		switch {
		case o.Has("testIdentifier", "testRuns"):
			return FormMetrics
		case o.Has("lineCoverage", "name"):
			return FormCoverage
		}
	case o.Kind != '{':
	case o.HasAny("_type"), typed(o):
		return FormGraph
	case o.HasAny("testNodes"):
		return FormTests
	case o.Has("totalTestCount"), o.Has("passedTests", "failedTests"):
		return FormSummary
	case o.Has("testRuns") && o.HasAny("testResult", "testDescription", "hasPerformanceMetrics", "testPlanConfigurations"):
		return FormDetails
	case o.Has("testIdentifier", "testRuns"):
		return FormActivities
	case o.HasAny("commonFailureInsights", "longestTestRunsInsights", "failureDistributionInsights"):
		return FormInsights
	case o.HasAny("errorCount", "warningCount", "analyzerWarningCount") && o.HasAny("errors", "warnings", "status", "actionTitle"):
		return FormBuild
	case o.Has("lineCoverage", "targets"), o.Has("coveredLines", "executableLines"):
		return FormCoverage
	case o.HasAny("hasTestResults", "hasCoverage", "hasDiagnostics"), o.Has("title", "subsections"), o.Has("rootId", "storage"):
		return FormOther
	}
	return ""
}

func typed(o jsondoc.Outline) bool {
	for k := range o.Sub {
		if len(k) > 6 && k[len(k)-6:] == "/_type" {
			return true
		}
	}
	return false
}

// Sniff returns a percentage for the document being about a result bundle.
func Sniff(b []byte) int {
	if isStored(b) {
		return 95
	}
	o := jsondoc.Look(b)
	switch form := formOf(o); {
	case form == "" && isFileCoverage(o, b):
		return 90
	case form == "":
		return 0
	case form == FormOther, form == FormCoverage:
		return 80
	}
	return 95
}

// Read reads a document of any form.
func Read(data []byte) (*Result, error) {
	if isStored(data) {
		return readStored(data)
	}
	o := jsondoc.Look(data)
	r := &Result{Form: formOf(o)}
	if r.Form == "" && isFileCoverage(o, data) {
		r.Form = FormFileCoverage
	}
	to := map[Form]any{
		FormSummary: &r.Summary, FormTests: &r.Tests, FormDetails: &r.Details, FormActivities: &r.Activities, FormMetrics: &r.Metrics,
		FormBuild: &r.Build, FormCoverage: &r.Coverage, FormFileCoverage: &r.FileCoverage, FormGraph: &r.Graph,
		FormInsights: &r.Document, FormOther: &r.Document,
	}[r.Form]
	if to == nil {
		return nil, errors.New("xcresult: not a document of xcresulttool or xccov")
	}
	if err := jsondoc.Decode(data, to); err != nil {
		return nil, fmt.Errorf("xcresult: %s: %w", r.Form, err)
	}
	return r, nil
}
