package builder

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
)

// textLimit is the maximum size of an answer in bytes: about 400 tokens.
const textLimit = brief.Limit

// verdict is the first line: the action, its subject and the result.
func (r *Report) verdict() string {
	what := r.what()
	scheme := r.Request.Scheme
	if scheme == "" {
		scheme = strings.TrimSuffix(filepath.Base(r.container()), filepath.Ext(r.container()))
	}
	on := r.Request.On
	if on == "" {
		on = r.Request.Destination
	}
	if r.Summary.Action == Clean {
		on = ""
	}
	return fmt.Sprintf("%s: %s (%s)", what, scheme, brief.Join(", ", on, r.Request.Configuration, r.Took()))
}

func (r *Report) container() string {
	for _, path := range []string{r.Request.WorkspacePath, r.Request.ProjectPath, r.Artifacts.TestProducts, r.Request.XCTestRun} {
		if path != "" {
			return path
		}
	}
	return "tests"
}

// actionNames are the actions in words; every other one is a build.
var actionNames = map[Action]string{Clean: "clean", BuildForTesting: "build for testing", Test: "build for testing",
	TestPrepared: "test run"}

// what is the result in words. It distinguishes failed tests from tests that could not run.
func (r *Report) what() string {
	ok := r.Summary.Status != StatusFailed
	if r.Tests == nil {
		name := cmp.Or(actionNames[r.Summary.Action], "build")
		if ok {
			return name + " succeeded"
		}
		return name + " failed"
	}
	c := r.Tests.Counts
	switch {
	case c.Total == 0 && ok:
		return "no tests ran"
	case c.Failed == 0 && !ok:
		return "the test run failed"
	case r.Summary.Status == StatusNotRun:
		return "tests not run"
	case ok:
		return "tests passed"
	}
	return "tests failed"
}

// Text is the answer for people and models, within textLimit. It counts the lines that do not fit; the log has them.
func (r *Report) Text() string {
	beside := slices.Concat(r.warnings(), r.ran())
	w := brief.New(textLimit - len(strings.Join(beside, "\n")))
	for _, c := range r.Request.Choices {
		w.Line(c)
	}
	w.Line(r.verdict())
	if line := r.counts(); line != "" {
		w.Line(line)
	}
	errors := r.Diagnostics.Errors
	w.ListOf("errors"+r.elsewhere(), len(errors), max(r.Diagnostics.ErrorCount, len(errors)),
		func(i int) []string { return r.lines(errors[i], "error") })
	if r.Tests != nil {
		r.writeFailures(w)
	}
	if len(errors) == 0 && r.Summary.Status == StatusFailed && (r.Tests == nil || r.Tests.Counts.Failed == 0) {
		w.List("failed commands", len(r.log.FailedSteps), func(i int) []string { return []string{"failed: " + r.log.FailedSteps[i]} })
	}
	return strings.Join(slices.Concat([]string{w.String()}, beside, r.tail()), "\n")
}

// The limits of the parts of an answer besides errors: a thousand errors leave room for these parts.
const (
	shownWarnings = 5
	warningsLimit = 400 // bytes
	ranLimit      = 400 // bytes
)

// warnings are the first warnings and the number of the others, also in a failed build.
func (r *Report) warnings() []string {
	all := r.Diagnostics.Warnings
	if len(all) == 0 {
		return nil
	}
	w := brief.New(warningsLimit)
	w.ListOf("warnings"+r.elsewhere(), min(len(all), shownWarnings), max(r.Diagnostics.WarningCount, len(all)),
		func(i int) []string { return []string{brief.Clip(r.lines(all[i], "warning")[0], warningsLimit/2)} })
	return []string{w.String()}
}

// elsewhere names the file with the rest of a list.
func (r *Report) elsewhere() string {
	if r.Artifacts.BuildLogPath == "" {
		return ""
	}
	return " in the log"
}

// ran names the tests that did not fail, one line per suite. Failed tests are listed elsewhere, with their reasons.
func (r *Report) ran() []string {
	if r.Tests == nil {
		return nil
	}
	var suites []string
	names := map[string][]string{}
	for _, c := range r.Tests.Cases {
		if c.Status == failed {
			continue
		}
		suite, name := path.Split(c.ID)
		mark := "✔ "
		if c.Status == notRun || !r.Tests.wasRun(c) {
			mark = "not run: "
		}
		suite = mark + suite
		if c.Status != passed && c.Status != notRun {
			name += " (" + c.Status + ")"
		}
		if names[suite] == nil {
			suites = append(suites, suite)
		}
		names[suite] = append(names[suite], name)
	}
	if len(suites) == 0 {
		return nil
	}
	w := brief.New(ranLimit)
	left := 0
	for _, suite := range suites {
		line, n := ranOf(suite, names[suite], ranLimit/2)
		if left > 0 || !w.Fits(line) {
			left += len(names[suite])
			continue
		}
		w.Line(line)
		left += n
	}
	if left > 0 {
		w.Linef("… %d more tests in the results", left)
	}
	return []string{w.String()}
}

// ranOf is the line of a suite, and the number of its tests that do not fit.
func ranOf(line string, names []string, limit int) (_ string, left int) {
	for i, name := range names {
		if i > 0 && len(line)+len(name) > limit {
			return line + ", …", len(names) - i
		}
		if i > 0 {
			line += ", "
		}
		line += name
	}
	return line, 0
}

func (r *Report) counts() string {
	var parts []string
	if t := r.Tests; t != nil {
		ran := fmt.Sprintf(": %d passed, ", t.Counts.Passed)
		if t.simulated && len(t.ran) == 0 {
			ran = " simulated, none run: "
		}
		parts = append(parts, fmt.Sprintf("%s%s%d failed, %d skipped", brief.Count(t.Counts.Total, "test"), ran,
			t.Counts.Failed, t.Counts.Skipped))
		if n := t.Counts.NotRun; n > 0 {
			parts = append(parts, fmt.Sprintf("%d not run", n))
		}
		if n := t.Counts.ExpectedFailures; n > 0 {
			parts = append(parts, fmt.Sprintf("%d failed as expected", n))
		}
		if t.From == fromLog {
			parts = append(parts, "counted from the log: the result bundle is missing or unusable")
		}
		if t.Counts.Total == 0 {
			parts = append(parts, "check -only-testing and the scheme's tests")
		}
	}
	if n := r.Diagnostics.ErrorCount; n > 0 {
		parts = append(parts, brief.Count(n, "error"))
	}
	if n := r.Diagnostics.WarningCount; n > 0 {
		parts = append(parts, brief.Count(n, "warning"))
	}
	return strings.Join(parts, ", ")
}

func (r *Report) writeFailures(w *brief.Writer) {
	var broken []Case
	for _, c := range r.Tests.Cases {
		if c.Status == failed {
			broken = append(broken, c)
		}
	}
	w.List("failed tests", len(broken), func(i int) []string {
		out := []string{"✘ " + broken[i].ID}
		for _, f := range broken[i].Failures {
			place := ""
			if f.File != "" {
				place = fmt.Sprintf("%s:%d", r.short(f.File), f.Line)
			}
			out = append(out, "  "+brief.Join(": ", place, f.Of, brief.Clip(f.Message, 400)))
		}
		return out
	})
}

// lines is a diagnostic as compilers print it, with the source line.
func (r *Report) lines(d Diagnostic, severity string) []string {
	head := brief.Join(": ", oneline.Head(r.short(d.Location)), severity, d.Message)
	if d.Count > 1 {
		head += fmt.Sprintf(" (%d times)", d.Count)
	}
	out := []string{head}
	for _, group := range []struct {
		lines  []string
		prefix string
		most   int
	}{{d.Source, "  ", 3}, {d.FixIts, "  fix-it: ", 4}, {d.Notes, "  note: ", 4}, {d.Details, "  ", mostOutput}} {
		for _, line := range group.lines[:min(len(group.lines), group.most)] {
			out = append(out, group.prefix+r.short(brief.Clip(line, 240)))
		}
	}
	return out
}

// short is a path relative to the caller's folder.
func (r *Report) short(s string) string {
	if r.dir == "" {
		return s
	}
	return strings.ReplaceAll(s, strings.TrimSuffix(r.dir, "/")+"/", "")
}

func (r *Report) tail() []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+": "+r.short(value))
		}
	}
	a := r.Artifacts
	add("app", a.AppPath)
	add("bundle id", bundleid.Shown(a.BundleID)) // the settings of a project have texts of any kind
	if a.ProcessID > 0 {
		out = append(out, fmt.Sprintf("process: %d", a.ProcessID))
	}
	if a.RuntimeLogPath != "" {
		add("its stdout", a.RuntimeLogPath)
		add("its stderr", a.ErrorLogPath)
	}
	if r.Summary.Action == BuildForTesting && r.Summary.Status == StatusSucceeded {
		add("test products", a.TestProducts)
		add("xctestrun", strings.Join(a.XCTestRuns, ", "))
	}
	add("results", a.XcresultPath)
	add("log", a.BuildLogPath)
	return out
}
