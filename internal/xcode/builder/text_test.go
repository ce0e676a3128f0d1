package builder

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/brief"
)

// building is the report of a build that prints these lines.
func building(t *testing.T, exit int, lines ...string) *Report {
	t.Helper()
	project := newProject(t)
	e := New(Options{Dir: t.TempDir(), Run: program(func(_ context.Context, c host.Cmd) (host.Result, error) {
		c.OnLine(host.Stdout, []byte("CompileSwift normal arm64"))
		for _, l := range lines {
			c.OnLine(host.Stdout, []byte(l))
		}
		if exit != 0 {
			return host.Result{ExitCode: exit, Spool: "/logs/build.log"}, failing(c, exit)
		}
		return host.Result{Spool: "/logs/build.log"}, nil
	})})
	out, err := e.Do(t.Context(), Request{Action: Build, Project: project, Scheme: "S", Destination: Destination{Platform: IOS}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Report(Style{})
}

func many(n int, severity string) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("/src/F%d.swift:1:1: %s: number %d", i, severity, i))
	}
	return lines
}

// TestReportShowsWarningsBesideErrors: what is counted is shown, or the answer says where it is.
func TestReportShowsWarningsBesideErrors(t *testing.T) {
	text := building(t, 65, "/src/A.swift:3:5: error: cannot find 'x' in scope", "/src/B.swift:1:1: warning: unused").Text()
	for _, want := range []string{"1 error, 1 warning", "A.swift:3:5: error: cannot find 'x'", "B.swift:1:1: warning: unused"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	text = building(t, 65, append(many(100, "error"), many(8, "warning")...)...).Text()
	if !strings.Contains(text, "F0.swift:1:1: warning: number 0") || !strings.Contains(text, "… 3 more warnings in the log") {
		t.Errorf("a hundred errors leave no room for the warnings:\n%s", text)
	}
}

// TestReportNamesLogAndOmittedCount: the numbers of what is left out add up, and the log is named, also when all went well.
func TestReportNamesLogAndOmittedCount(t *testing.T) {
	for name, r := range map[string]*Report{
		"errors":   building(t, 65, many(120, "error")...),
		"warnings": building(t, 0, many(120, "warning")...),
		"nothing":  building(t, 0),
	} {
		text := r.Text()
		if !strings.Contains(text, "\nlog: /logs/build.log") || len(text) > brief.Limit+200 {
			t.Errorf("%s, %d bytes:\n%s", name, len(text), text)
		}
		if name == "nothing" {
			continue
		}
		shown, left := strings.Count(text, ".swift:1:1: "), 0
		_, after, _ := strings.Cut(text, "… ")
		if _, err := fmt.Sscanf(after, "%d more "+name+" in the log", &left); err != nil || shown+left != 120 {
			t.Errorf("%s: %d are shown and %d are in the log: %v\n%s", name, shown, left, err, text)
		}
	}
}

// TestReportNamesFailedAndPassedTests: those that failed with their reasons, the others by name, and the number of those that do not fit.
func TestReportNamesFailedAndPassedTests(t *testing.T) {
	report := func(passed int) *Report {
		r := building(t, 65)
		r.Summary.Action, r.Artifacts.XcresultPath = Test, "/r.xcresult"
		r.Tests = &Tests{From: fromBundle, Counts: Counts{Total: passed + 2, Passed: passed, Failed: 1, Skipped: 1}, Cases: []Case{
			{ID: "T/Sums/testOdd", Test: "testOdd", Status: failed, Failures: []Failure{{Message: "1 is not 2", File: "/src/T.swift", Line: 4}}},
			{ID: "T/Sums/testSlow", Test: "testSlow", Status: skipped},
		}}
		for i := range passed {
			name := fmt.Sprintf("test%d", i)
			r.Tests.Cases = append(r.Tests.Cases, Case{ID: fmt.Sprintf("T/Suite%d/%s", i/10, name), Test: name, Status: "passed"})
		}
		return r
	}
	few := report(12).Text()
	for _, want := range []string{"✘ T/Sums/testOdd\n  /src/T.swift:4: 1 is not 2", "✔ T/Sums/testSlow (skipped)\n",
		"✔ T/Suite0/test0, test1, test2", "✔ T/Suite1/test10, test11\n"} {
		if !strings.Contains(few, want) {
			t.Errorf("%q is missing:\n%s", want, few)
		}
	}
	text, after, _ := strings.Cut(report(500).Text(), " more tests in the results")
	named, left := strings.Count(text, "test")-strings.Count(text, "tests"), 0
	if _, err := fmt.Sscan(text[strings.LastIndex(text, "… ")+len("… "):], &left); err != nil || len(text) > brief.Limit {
		t.Errorf("%d named, %d left: %v\n%s", named, left, err, text)
	}
	if named+left != 502 || !strings.Contains(after, "\nresults: /r.xcresult") {
		t.Errorf("%d named and %d left are not 502:\n%s", named, left, text)
	}
}
