package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/xcode/build"
)

// lastBundles remembers the result bundle of each session's last test run.
type lastBundles struct {
	mu   sync.Mutex
	byID map[string]string
}

func (l *lastBundles) note(session, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]string{}
	}
	l.byID[session] = path
}

// of is the bundle a call means: the one it names, else the session's last.
func (l *lastBundles) of(session string, named op.Path) (string, error) {
	if named != "" {
		return string(named), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if path := l.byID[session]; path != "" {
		return path, nil
	}
	return "", fault.New(fault.InvalidInput, "xcresultPath is required: this session has run no tests yet").With("field", "xcresultPath").
		WithHint(`run tests with extraArgs ["-enableCodeCoverage", "YES"] first`)
}

// CoverageIn says which coverage to show.
type CoverageIn struct {
	Bundle op.Path `json:"xcresultPath,omitempty" doc:"the result bundle; that of the session's last test run if absent"`
	Target string  `json:"target,omitempty" doc:"only targets whose name holds this, case ignored"`
	Files  bool    `json:"showFiles,omitempty" doc:"show the files of each target"`
}

// CoverageOut is the coverage of a test run.
type CoverageOut struct {
	Summary   build.Covered          `json:"summary"`
	Targets   []build.TargetCoverage `json:"targets"`
	Bundle    string                 `json:"xcresultPath"`
	NextSteps []string               `json:"nextSteps,omitempty"`
}

// coverageLimit is the size of the text.
const coverageLimit = 4000

// Text is a line a target, and a line a file.
func (o CoverageOut) Text() string {
	w := brief.New(coverageLimit)
	w.Line("covered: " + share(o.Summary))
	for _, t := range o.Targets {
		w.Line(t.Name + ": " + share(t.Covered))
		w.List("files", len(t.Files), func(i int) []string { return []string{"  " + t.Files[i].Path + ": " + share(t.Files[i].Covered)} })
	}
	return andNext(w.String(), o.NextSteps)
}

func share(c build.Covered) string {
	return fmt.Sprintf("%.1f%% (%d of %d lines)", c.CoveragePct, c.CoveredLines, c.ExecutableLines)
}

func (b *builder) coverage(ctx context.Context, c *op.Call, in CoverageIn) (out CoverageOut, err error) {
	if out.Bundle, err = b.last.of(c.Session, in.Bundle); err != nil {
		return out, err
	}
	out.Summary, out.Targets, err = b.engine.Coverage(ctx, out.Bundle, in.Target, in.Files, toolEnv(c))
	out.NextSteps = []string{nextCall("get_file_coverage", "xcresultPath", out.Bundle, "file", "FILE.swift")}
	return out, err
}

// FileCoverageIn says which file.
type FileCoverageIn struct {
	Bundle op.Path `json:"xcresultPath,omitempty" doc:"the result bundle; that of the session's last test run if absent"`
	File   string  `json:"file" doc:"the source file: its path, or the end of it" cli:"arg"`
	Lines  bool    `json:"showLines,omitempty" doc:"show which lines did not run"`
}

// FileCoverageOut is the coverage of one file.
type FileCoverageOut struct {
	build.Functions
	Bundle    string   `json:"xcresultPath"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text names what did not run.
func (o FileCoverageOut) Text() string {
	w := brief.New(coverageLimit)
	w.Line(o.Path + ": " + share(o.Covered))
	for _, group := range []struct {
		name string
		all  []build.Function
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
		var ranges []string
		for _, r := range o.Uncovered {
			if r[0] == r[1] {
				ranges = append(ranges, fmt.Sprint(r[0]))
			} else {
				ranges = append(ranges, fmt.Sprintf("%d-%d", r[0], r[1]))
			}
		}
		w.Line("lines that did not run: " + strings.Join(ranges, ", "))
	}
	return andNext(w.String(), o.NextSteps)
}

func (b *builder) fileCoverage(ctx context.Context, c *op.Call, in FileCoverageIn) (FileCoverageOut, error) {
	bundle, err := b.last.of(c.Session, in.Bundle)
	if err != nil {
		return FileCoverageOut{}, err
	}
	found, err := b.engine.FileFunctions(ctx, bundle, in.File, in.Lines, toolEnv(c))
	if err != nil {
		return FileCoverageOut{}, err
	}
	return FileCoverageOut{Functions: *found, Bundle: bundle, NextSteps: []string{nextCall("get_coverage_report", "xcresultPath", bundle)}}, nil
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
