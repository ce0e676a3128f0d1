package xcode

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/builder"
)

// coverages are the tools that show the code coverage of tests.
func (v views) coverages() []op.Op {
	report := taking(askTime, tool(getCoverageReport, "Show the code coverage of each target, least covered first", readOnly, inCoverage),
		"get-coverage-report", "get-coverage-report --xcresult-path Tests.xcresult --show-files")
	file := taking(askTime, tool(getFileCoverage, "Show functions and lines of a file without coverage", readOnly, inCoverage),
		"get-file-coverage --file Basket.swift --show-lines")
	report.Long, file.Long = true, true
	return []op.Op{op.New(report, v.coverage), op.New(file, v.fileCoverage)}
}

type coverageIn struct {
	Bundle op.Path `json:"xcresultPath,omitempty" doc:"result bundle (default: of the session's last test run)"`
	Target string  `json:"target,omitempty" doc:"only targets whose name contains this, ignoring case"`
	Files  bool    `json:"showFiles,omitempty" doc:"show the files of each target"`
}

type coverageOut struct {
	Summary   builder.Covered          `json:"summary"`
	Targets   []builder.TargetCoverage `json:"targets"`
	Bundle    string                   `json:"xcresultPath"`
	NextSteps []string                 `json:"nextSteps,omitempty"`
}

// coverageLimit is the maximum size of the text in bytes.
const coverageLimit = 4000

// Text is one line per target, and one per file.
func (o coverageOut) Text() string {
	w := brief.New(coverageLimit)
	w.Line("covered: " + share(o.Summary))
	for _, t := range o.Targets {
		w.Line(oneline.Head(t.Name) + ": " + share(t.Covered))
		w.List("files", len(t.Files), func(i int) []string { return []string{"  " + t.Files[i].Path + ": " + share(t.Files[i].Covered)} })
	}
	return andNext(w.String(), o.NextSteps)
}

func share(c builder.Covered) string {
	return fmt.Sprintf("%.1f%% (%d of %d lines)", c.CoveragePct, c.CoveredLines, c.ExecutableLines)
}

func (v views) coverage(ctx context.Context, c *op.Call, in coverageIn) (coverageOut, error) {
	done, err := v.core.Builds.Coverage(ctx, c, in.Bundle, in.Target, in.Files)
	return coverageOut{
		done.Summary, done.Targets, done.Bundle, []string{nextCall(getFileCoverage, "xcresultPath", done.Bundle, "file", "FILE.swift")},
	}, err
}

type fileCoverageIn struct {
	Bundle op.Path `json:"xcresultPath,omitempty" doc:"result bundle (default: of the session's last test run)"`
	File   string  `json:"file" doc:"path of the source file, or the end of its path" cli:"arg"`
	Lines  bool    `json:"showLines,omitempty" doc:"show the lines that did not run"`
}

type fileCoverageOut struct {
	builder.Functions
	Bundle    string   `json:"xcresultPath"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text names the functions and lines that did not run.
func (o fileCoverageOut) Text() string {
	w := brief.New(coverageLimit)
	w.Line(oneline.Head(o.Path) + ": " + share(o.Covered))
	for _, group := range []struct {
		name string
		all  []builder.Function
	}{{"not covered", o.NotCovered}, {"partly covered", o.Partial}} {
		if len(group.all) > 0 {
			w.Line(group.name + ":")
			w.List("functions", len(group.all), func(i int) []string {
				f := group.all[i]
				return []string{fmt.Sprintf("  %s, line %d: %s", f.Name, f.Line, share(f.Covered))}
			})
		}
	}
	w.Line(brief.Count(o.FullCount, "function") + " fully covered")
	if len(o.Uncovered) > 0 {
		w.Line("lines that did not run: " + lineRanges(o.Uncovered))
	}
	return andNext(w.String(), o.NextSteps)
}

func lineRanges(ranges [][2]int) string {
	var words []string
	for _, r := range ranges {
		if r[0] == r[1] {
			words = append(words, fmt.Sprint(r[0]))
		} else {
			words = append(words, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
	}
	return strings.Join(words, ", ")
}

func (v views) fileCoverage(ctx context.Context, c *op.Call, in fileCoverageIn) (fileCoverageOut, error) {
	found, bundle, err := v.core.Builds.FileCoverage(ctx, c, in.Bundle, in.File, in.Lines)
	if err != nil {
		return fileCoverageOut{}, err
	}
	next := nextCall(getCoverageReport, "xcresultPath", bundle)
	return fileCoverageOut{Functions: *found, Bundle: bundle, NextSteps: []string{next}}, nil
}
