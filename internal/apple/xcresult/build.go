package xcresult

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"ios-agent/internal/apple/jsondoc"
)

// Build is `get build-results`.
type Build struct {
	Title                string        `json:"actionTitle,omitempty"`
	Status               string        `json:"status,omitempty"`
	Errors               []Issue       `json:"errors,omitempty"`
	Warnings             []Issue       `json:"warnings,omitempty"`
	AnalyzerWarnings     []Issue       `json:"analyzerWarnings,omitempty"`
	ErrorCount           int           `json:"errorCount,omitempty"`
	WarningCount         int           `json:"warningCount,omitempty"`
	AnalyzerWarningCount int           `json:"analyzerWarningCount,omitempty"`
	Destination          Device        `json:"destination,omitzero"`
	StartTime            float64       `json:"startTime,omitempty"`
	EndTime              float64       `json:"endTime,omitempty"`
	Extra                jsondoc.Extra `json:"-"`
}

// Issue is one error or warning of a build.
type Issue struct {
	Type    string        `json:"issueType,omitempty"` // as printed; some end in a blank
	Message string        `json:"message,omitempty"`
	Target  string        `json:"targetName,omitempty"`
	Source  string        `json:"sourceURL,omitempty"`
	Class   string        `json:"className,omitempty"`
	Extra   jsondoc.Extra `json:"-"`
}

// Location is a place in a file, counted from 1; 0 is unknown.
type Location struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// ParseLocation reads file:///a/B.swift#StartingLineNumber=19&StartingColumnNumber=7. The numbers in it count from 0
// (observed: kishikawakatsumi/xcresulttool#453).
func ParseLocation(s string) Location {
	address, fragment, _ := strings.Cut(s, "#")
	var l Location
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" {
		l.File = u.Path
	} else {
		l.File = strings.TrimPrefix(address, "file://")
	}
	for pair := range strings.SplitSeq(fragment, "&") {
		key, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			continue
		}
		switch key {
		case "StartingLineNumber":
			l.Line = n + 1
		case "StartingColumnNumber":
			l.Column = n + 1
		}
	}
	return l
}

// String is file:line:column, as far as known.
func (l Location) String() string {
	s := l.File
	if l.Line > 0 {
		s += ":" + strconv.Itoa(l.Line)
		if l.Column > 0 {
			s += ":" + strconv.Itoa(l.Column)
		}
	}
	return s
}

// TestMetrics are the measurements of one test.
type TestMetrics struct {
	Identifier string        `json:"testIdentifier,omitempty"`
	URL        string        `json:"testIdentifierURL,omitempty"`
	Runs       []MetricRun   `json:"testRuns,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// MetricRun holds the metrics of one device.
type MetricRun struct {
	Device  Device        `json:"device,omitzero"`
	Metrics []Metric      `json:"metrics,omitempty"`
	Extra   jsondoc.Extra `json:"-"`
}

// Metric is one measurement, repeated.
type Metric struct {
	Name         string        `json:"displayName,omitempty"`
	Identifier   string        `json:"identifier,omitempty"`
	Unit         string        `json:"unitOfMeasurement,omitempty"`
	Measurements []json.Number `json:"measurements,omitempty"` // digits as printed
	Extra        jsondoc.Extra `json:"-"`
}
