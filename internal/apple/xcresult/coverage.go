package xcresult

import (
	"bytes"
	"strings"

	"ios-agent/internal/apple/jsondoc"
)

// Coverage is `xccov view --report --json`, either the whole report or only its targets.
type Coverage struct {
	LineCoverage    float64          `json:"lineCoverage,omitempty"`
	CoveredLines    int              `json:"coveredLines,omitempty"`
	ExecutableLines int              `json:"executableLines,omitempty"`
	Targets         []TargetCoverage `json:"targets,omitempty"`
	Extra           jsondoc.Extra    `json:"-"`
}

// TargetCoverage is the coverage of one target. Functions are set in the report on one file.
type TargetCoverage struct {
	Name            string             `json:"name,omitempty"`
	Product         string             `json:"buildProductPath,omitempty"`
	LineCoverage    float64            `json:"lineCoverage,omitempty"`
	CoveredLines    int                `json:"coveredLines,omitempty"`
	ExecutableLines int                `json:"executableLines,omitempty"`
	Files           []SourceCoverage   `json:"files,omitempty"`
	Functions       []FunctionCoverage `json:"functions,omitempty"`
	Extra           jsondoc.Extra      `json:"-"`
}

// SourceCoverage is the coverage of one source file.
type SourceCoverage struct {
	Name            string             `json:"name,omitempty"`
	Path            string             `json:"path,omitempty"`
	LineCoverage    float64            `json:"lineCoverage,omitempty"`
	CoveredLines    int                `json:"coveredLines,omitempty"`
	ExecutableLines int                `json:"executableLines,omitempty"`
	Functions       []FunctionCoverage `json:"functions,omitempty"`
	Extra           jsondoc.Extra      `json:"-"`
}

// FunctionCoverage is the coverage of one function.
type FunctionCoverage struct {
	Name            string        `json:"name,omitempty"`
	Line            int           `json:"lineNumber,omitempty"`
	LineCoverage    float64       `json:"lineCoverage,omitempty"`
	CoveredLines    int           `json:"coveredLines,omitempty"`
	ExecutableLines int           `json:"executableLines,omitempty"`
	Executions      int           `json:"executionCount,omitempty"`
	Extra           jsondoc.Extra `json:"-"`
}

// UnmarshalJSON takes the report, or the array of targets of --only-targets.
func (c *Coverage) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return jsondoc.Decode(b, &c.Targets)
	}
	type plain Coverage
	return jsondoc.Into(b, (*plain)(c), &c.Extra)
}

// FileCoverage is `xccov view --file … --json`: how often each line ran, by file.
type FileCoverage map[string][]LineCoverage

// LineCoverage is one line.
type LineCoverage struct {
	Line       int           `json:"line,omitempty"`
	Executable bool          `json:"isExecutable,omitempty"`
	Executions int           `json:"executionCount,omitempty"`
	Extra      jsondoc.Extra `json:"-"`
}

// isFileCoverage recognizes the form by its values: files, each with a list of lines.
func isFileCoverage(o jsondoc.Outline, b []byte) bool {
	if o.Kind != '{' || len(o.Keys) == 0 {
		return false
	}
	for k, sort := range o.Keys {
		if sort != "array" || !strings.HasPrefix(k, "/") {
			return false
		}
	}
	return bytes.Contains(b, []byte(`"isExecutable"`))
}
