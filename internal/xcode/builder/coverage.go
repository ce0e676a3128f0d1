package builder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/xcresult"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// Covered is the number of executable lines, and of lines that ran.
type Covered struct {
	CoveragePct     float64 `json:"coveragePct"` // one decimal
	CoveredLines    int     `json:"coveredLines"`
	ExecutableLines int     `json:"executableLines"`
}

func covered(lines, of int) Covered {
	c := Covered{CoveredLines: lines, ExecutableLines: of}
	if of > 0 {
		c.CoveragePct = math.Round(1000*float64(lines)/float64(of)) / 10
	}
	return c
}

// TargetCoverage is the coverage of a target, with its files on request.
type TargetCoverage struct {
	Name string `json:"name"`
	Covered
	Files []FileCoverage `json:"files,omitempty"`
}

// FileCoverage is the coverage of a file.
type FileCoverage struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Covered
}

// Coverage reads the coverage of a result bundle. It returns the targets whose name contains the filter, ignoring case, the least
// covered first.
func (e *Engine) Coverage(
	ctx context.Context, bundle, filter string, files bool, env map[string]string,
) (total Covered, targets []TargetCoverage, err error) {
	report, err := e.coverage(ctx, bundle, files, env)
	if err != nil {
		return Covered{}, nil, err
	}
	targets = []TargetCoverage{}
	var names []string
	for _, t := range report.Targets {
		names = append(names, t.Name)
		if !strings.Contains(strings.ToLower(t.Name), strings.ToLower(filter)) {
			continue
		}
		one := TargetCoverage{Name: t.Name, Covered: covered(t.CoveredLines, t.ExecutableLines)}
		total.CoveredLines, total.ExecutableLines = total.CoveredLines+t.CoveredLines, total.ExecutableLines+t.ExecutableLines
		for _, f := range t.Files {
			if files {
				one.Files = append(one.Files, FileCoverage{Name: f.Name, Path: f.Path, Covered: covered(f.CoveredLines, f.ExecutableLines)})
			}
		}
		slices.SortFunc(one.Files, func(a, b FileCoverage) int { return least(a.Covered, b.Covered, a.Path, b.Path) })
		targets = append(targets, one)
	}
	if len(targets) == 0 && filter != "" {
		return Covered{}, nil, fault.New(fault.InvalidInput, "no covered target has a name with %q", filter).With("field", "target").
			WithHint("the targets are %s", strings.Join(names, ", "))
	}
	slices.SortFunc(targets, func(a, b TargetCoverage) int { return least(a.Covered, b.Covered, a.Name, b.Name) })
	return covered(total.CoveredLines, total.ExecutableLines), targets, nil
}

func least(a, b Covered, nameA, nameB string) int {
	return cmp.Or(cmp.Compare(a.CoveragePct, b.CoveragePct), strings.Compare(nameA, nameB))
}

func (e *Engine) coverage(ctx context.Context, bundle string, files bool, env map[string]string) (*xcresult.Coverage, error) {
	if _, err := os.Stat(bundle); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.PathError, "the result bundle %s does not exist", bundle).With("field", "xcresultPath")
	} else if err != nil {
		return nil, fault.New(fault.PathError, "%w", err)
	}
	args := []string{"xccov", "view", "--report"}
	if !files {
		args = append(args, "--only-targets")
	}
	out, err := e.ask(ctx, "xcrun", append(args, "--json", bundle), "", env)
	if err != nil {
		return nil, fault.From(err).WithHint(`test with extraArgs ["-enableCodeCoverage", "YES"] to collect coverage`)
	}
	read, err := xcresult.Read(out)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "cannot read xccov's report: %w", err)
	}
	if read.Coverage == nil {
		return nil, fault.New(fault.ToolFailed, "xccov printed %s instead of a coverage report", read.Form)
	}
	return read.Coverage, nil
}

// Functions is the coverage of one file by its functions.
type Functions struct {
	Path string `json:"path"`
	Covered
	NotCovered []Function `json:"notCovered"` // the largest first
	Partial    []Function `json:"partialCoverage"`
	FullCount  int        `json:"fullCoverageCount"`
	Uncovered  [][2]int   `json:"uncoveredLines,omitempty"` // ranges, both ends included
}

// Function is one function.
type Function struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Covered
	ExecutionCount int `json:"executionCount"`
}

// FileFunctions reads the coverage of one file, by its path or the end of its path.
func (e *Engine) FileFunctions(ctx context.Context, bundle, file string, lines bool, env map[string]string) (*Functions, error) {
	report, err := e.coverage(ctx, bundle, true, env)
	if err != nil {
		return nil, err
	}
	found, err := fileNamed(report, file)
	if err != nil {
		return nil, err
	}
	out := &Functions{Path: found.Path, Covered: covered(found.CoveredLines, found.ExecutableLines), NotCovered: []Function{},
		Partial: []Function{}}
	for _, f := range found.Functions {
		one := Function{Name: f.Name, Line: f.Line, Covered: covered(f.CoveredLines, f.ExecutableLines), ExecutionCount: f.Executions}
		switch {
		case f.CoveredLines == 0 && f.ExecutableLines > 0:
			out.NotCovered = append(out.NotCovered, one)
		case f.CoveredLines < f.ExecutableLines:
			out.Partial = append(out.Partial, one)
		default:
			out.FullCount++
		}
	}
	slices.SortStableFunc(out.NotCovered, func(a, b Function) int { return cmp.Compare(b.ExecutableLines, a.ExecutableLines) })
	slices.SortStableFunc(out.Partial, func(a, b Function) int { return cmp.Compare(a.CoveragePct, b.CoveragePct) })
	if lines {
		out.Uncovered, err = e.uncovered(ctx, bundle, found.Path, env)
	}
	return out, err
}

func fileNamed(report *xcresult.Coverage, file string) (*xcresult.SourceCoverage, error) {
	var matches []*xcresult.SourceCoverage
	var names []string
	for i := range report.Targets {
		for j := range report.Targets[i].Files {
			f := &report.Targets[i].Files[j]
			names = append(names, f.Name)
			if f.Path == file || strings.HasSuffix(f.Path, "/"+strings.TrimPrefix(file, "/")) {
				matches = append(matches, f)
			}
		}
	}
	paths := map[string]bool{}
	for _, m := range matches {
		paths[m.Path] = true
	}
	f := fault.New(fault.InvalidInput, "no covered file is named %s", file).With("field", "file")
	switch {
	case len(paths) == 1:
		return matches[0], nil
	case len(paths) > 1:
		return nil, fault.New(fault.InvalidInput, "%d covered files end in %s", len(paths), file).With("field", "file").
			WithHint("give a longer part of the path")
	}
	if near := nearest.To(filepath.Base(file), names, 3); len(near) > 0 {
		return nil, f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return nil, f.WithHint("%s lists the files", hint.Do("get_coverage_report", "showFiles", true))
}

// uncovered are the runs of executable lines that never ran.
func (e *Engine) uncovered(ctx context.Context, bundle, path string, env map[string]string) ([][2]int, error) {
	out, err := e.ask(ctx, "xcrun", []string{"xccov", "view", "--archive", "--file", path, "--json", bundle}, "", env)
	if err != nil {
		return nil, err
	}
	read, err := xcresult.Read(out)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "cannot read xccov's lines of %s: %w", path, err)
	}
	if read.FileCoverage == nil {
		return nil, fault.New(fault.ToolFailed, "xccov printed %s instead of the lines of a file", read.Form)
	}
	ranges := [][2]int{}
	open := false // the last executable line did not run
	for _, l := range (*read.FileCoverage)[path] {
		switch {
		case !l.Executable:
		case l.Executions > 0:
			open = false
		case open:
			ranges[len(ranges)-1][1] = l.Line
		default:
			ranges, open = append(ranges, [2]int{l.Line, l.Line}), true
		}
	}
	return ranges, nil
}
