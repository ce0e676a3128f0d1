package builds_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	buildops "ios-agent/internal/ops/builds"
	"ios-agent/internal/telemetry/builds"
	"ios-agent/internal/xcode/choose"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/test/fakedevice"
	"ios-agent/test/workshop"
)

// read reads the result of an operation that must succeed.
func read[T any](b *bench, name, input string) (out T, e op.Envelope) {
	b.T.Helper()
	if e = b.As("a", name, input); e.Error != nil {
		b.T.Fatalf("%s %s: got %s, want success", name, input, e.Text())
	}
	if err := json.Unmarshal(e.Result, &out); err != nil {
		b.T.Fatal(err)
	}
	return out, e
}

func TestFailedTestsAreListedAndStored(t *testing.T) {
	b := open(t)
	p := b.project("failing", "Failing")
	b.Ran("")
	e := b.By(op.Call{Session: "a", Env: simulated}, "test", `{"projectPath":"`+string(p.Project)+`","scheme":"Failing",
		"simulatorName":"iPhone 16","only":["FailingTests/CalculatorTests"],"extraArgs":["-quiet"],"testRunnerEnv":["LANG=de"]}`)
	fakedevice.WantFault(t, "test", e.Error, fault.TestsFailed)
	var out buildops.Built
	if err := json.Unmarshal(e.Result, &out); err != nil {
		t.Fatal(err)
	}
	if out.Status != "failed" || out.Tests == nil || out.Tests.Failed != 1 || out.Tests.From != "result bundle" || out.Xcresult == "" ||
		len(out.Tests.Cases) != out.Tests.Total || out.Tests.Total < 2 {
		t.Errorf("got %+v, %+v, want one failed test of several", out, out.Tests)
	}
	lines := b.built()
	last := lines[len(lines)-1]
	if !strings.Contains(last, "-only-testing:FailingTests/CalculatorTests") || !strings.Contains(last, "-quiet") {
		t.Errorf("got %q, want those tests alone", lines)
	}
	kept, e := read[buildops.KeptBuild](b, "show_build", `{"id":"latest"}`)
	if kept.Tests == nil || kept.Tests.Failed != 1 || len(kept.Tests.Cases) != 1 || kept.Session != "a" || kept.UDID != b.Info.UDID ||
		!kept.Time.Equal(workshop.Noon()) || kept.Status != "failed" || kept.Action != "test" || kept.Xcresult == "" ||
		kept.Tests.Total != out.Tests.Total || kept.Tests.Skipped != out.Tests.Skipped || kept.Tests.NotRun != out.Tests.NotRun ||
		kept.Project != string(p.Project) {
		t.Errorf("got %+v, %+v, want the failed test kept", kept, kept.Tests)
	}
	one := kept.Tests.Cases[0]
	asked := out.Tests.Cases[slices.IndexFunc(out.Tests.Cases, func(c buildops.TestOut) bool { return c.ID == one.ID })]
	if one.DurationMS != asked.DurationMS {
		t.Errorf("got %d ms kept, want %d", one.DurationMS, asked.DurationMS)
	}
	if one.Status != "failed" || one.Test != "testAddition()" || len(one.Failures) != 1 || one.Failures[0].Line != 6 {
		t.Errorf("got %+v, want the test with its place", one)
	}
	for _, part := range []string{
		kept.ID + "  ", "  test Failing failed: tests: ", " not run, 1 failed", "\nfailed CalculatorTests/testAddition()\n  \"",
		"\nlog: " + kept.Log,
	} {
		if !strings.Contains(e.Stdout, part) {
			t.Errorf("got\n%s\nwant %q in it", e.Stdout, part)
		}
	}
}

func TestTestsRunOnMacAndPhysicalDevice(t *testing.T) {
	b := open(t)
	b.call.Env = simulated
	out, err := b.Test(t.Context(), b.call, buildops.TestIn{Project: b.project("macos", "Notes"), On: choose.Destination{Kind: choose.OnMac}})
	if err != nil || out.Fault() != nil || out.Tests == nil || out.Summary.Target != "macos" {
		t.Errorf("got %+v, %v, %v, want tests on this Mac", out.Summary, err, out.Fault())
	}
	out, err = b.Test(t.Context(), b.call, buildops.TestIn{
		Project: b.project("app", "Tally"), On: choose.Destination{Kind: choose.OnDevice, Device: workshop.Physical},
	})
	if err != nil || out.Artifacts.DeviceID != workshop.Physical || out.Tests.Counts.NotRun != 7 {
		t.Errorf("got %+v, %v, want the tests on the phone", out.Artifacts, err)
	}
	_, err = b.Test(t.Context(), b.call, buildops.TestIn{
		Project: b.project("app", "Tally"), On: choose.Destination{Kind: choose.OnDevice, Device: "none"},
	})
	want(t, "a phone that nobody knows", err, fault.DeviceNotFound, "the tests cannot run on device none: ")
	_, err = b.Test(t.Context(), b.call, buildops.TestIn{RunnerEnv: []string{"novalue"}})
	want(t, "a variable without a value", err, fault.InvalidInput, "testRunnerEnv")
	_, err = b.Test(t.Context(), &op.Call{Session: "b"}, buildops.TestIn{
		Project: b.project("app", "Tally"), On: choose.Destination{Kind: choose.OnDevice, Device: workshop.Physical},
	})
	want(t, "a phone that another session has", err, fault.DeviceClaimed)
	in := buildops.TestIn{Project: b.project("app", "Tally"), On: b.phone()}
	in.Scheme = "Nothing"
	_, err = b.Test(t.Context(), b.call, in)
	want(t, "a scheme that is not there", err, fault.SchemeNotFound)
}

func TestTestsWithoutResultCountAsNotRun(t *testing.T) {
	b := open(t)
	out, err := b.Test(t.Context(), b.call, buildops.TestIn{Project: b.project("app", "Tally"), On: b.phone()})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "test", out.Fault(), fault.TestsNotRun, "ran 0 of 7 tests")
	kept, e := read[buildops.KeptBuild](b, "show_build", `{"id":"latest"}`)
	if kept.Status != "not_run" || kept.Tests.NotRun != 7 || !strings.Contains(e.Stdout, "test Tally not run: tests: 7 not run, 0 failed") {
		t.Errorf("got %+v and\n%s\nwant a run without a verdict", kept, e.Stdout)
	}
}

func TestPrebuiltTestsRunFromTestRunFile(t *testing.T) {
	b := open(t)
	b.call.Env = simulated
	in := b.tally(b.phone())
	in.ForTesting = true
	built, err := b.Build(t.Context(), b.call, in)
	if err != nil {
		t.Fatal(err)
	}
	b.Ran("")
	out, err := b.Test(t.Context(), b.call, buildops.TestIn{TestRun: op.Path(built.Artifacts.XCTestRuns[0]), On: b.phone()})
	if err != nil || out.Fault() != nil || out.Tests.Counts.NotRun != 7 {
		t.Errorf("got %+v, %v, %v, want the tests that were built", out.Tests, err, out.Fault())
	}
	if lines := b.built(); len(lines) != 1 || !strings.HasSuffix(lines[0], " test-without-building") {
		t.Errorf("got %q, want no build", lines)
	}
	_, err = b.Test(t.Context(), b.call, buildops.TestIn{Products: op.Path(filepath.Join(b.Dir, "none.xctestproducts")), On: b.phone()})
	want(t, "products that are not there", err, fault.PathError)
}

func TestCoverageUsesSessionsLastTestRun(t *testing.T) {
	b := open(t)
	b.call.Env = simulated
	_, err := b.Coverage(t.Context(), b.call, "", "", false)
	want(t, "no tests yet", err, fault.InvalidInput, "this session has run no tests yet")
	_, _, err = b.FileCoverage(t.Context(), b.call, "", "Counter.swift", false)
	want(t, "no tests yet", err, fault.InvalidInput)
	in := buildops.TestIn{Project: b.project("app", "Tally"), On: b.phone()}
	in.ExtraArgs = []string{"-enableCodeCoverage", "YES"}
	run, err := b.Test(t.Context(), b.call, in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Coverage(t.Context(), b.call, "", "", true)
	if err != nil || len(out.Targets) == 0 || len(out.Targets[0].Files) == 0 || out.Bundle != run.Artifacts.XcresultPath {
		t.Errorf("got %+v, %v, want the targets with their files", out, err)
	}
	_, err = b.Coverage(t.Context(), b.call, "", "Nothing", false)
	if err == nil {
		t.Errorf("got no fault, want a target that is not there refused")
	}
	found, bundle, err := b.FileCoverage(t.Context(), b.call, "", "Counter.swift", true)
	if err != nil || found == nil || bundle != out.Bundle {
		t.Errorf("got %+v of %q, %v, want the functions of the file", found, bundle, err)
	}
	other := &op.Call{Session: "bob", Env: b.call.Env, Dir: b.call.Dir}
	_, err = b.Coverage(t.Context(), other, "", "", false)
	want(t, "another session", err, fault.InvalidInput, "this session has run no tests yet")
	out, err = b.Coverage(t.Context(), other, op.Path(bundle), "", false)
	if err != nil || out.Bundle != bundle {
		t.Errorf("got %+v, %v, want the bundle that another session names", out, err)
	}
}

func TestBuildsAreListedNewestFirst(t *testing.T) {
	b := open(t)
	out, e := read[buildops.BuildsOut](b, "list_builds", `{}`)
	if out.Total != 0 || !strings.HasPrefix(e.Stdout, "0 of 0 builds, the newest first\nnote: no matching build yet: ") {
		t.Errorf("got %+v and %q, want none", out, e.Stdout)
	}
	b.Refused("show_build", `{"id":"latest"}`, fault.BuildNotFound, `no stored build "latest"`, hint.Do("list_builds"))
	b.Refused("show_build", `{"id":"b00000000"}`, fault.BuildNotFound)
	b.Refused("show_build", `{"id":"x"}`, fault.InvalidInput)
	for i, scheme := range []string{"A", "B", "A"} {
		b.keep(builds.Result{Time: workshop.Noon().Add(time.Duration(i) * time.Minute), Action: "build", Scheme: scheme, Succeeded: i != 1})
	}
	out, e = read[buildops.BuildsOut](b, "list_builds", `{"limit":2}`)
	if out.Total != 3 || len(out.Builds) != 2 || out.Builds[0].Scheme != "A" || out.Builds[1].Scheme != "B" ||
		!strings.HasPrefix(e.Stdout, "2 of 3 builds, the newest first\n"+out.Builds[0].ID) || out.Note != "" {
		t.Errorf("got %+v and\n%s\nwant the newest two of three", out, e.Stdout)
	}
	if out, _ = read[buildops.BuildsOut](b, "list_builds", `{"scheme":"A","limit":1}`); out.Total != 2 || len(out.Builds) != 1 {
		t.Errorf("got %+v, want one of two of the scheme", out)
	}
	if out, _ = read[buildops.BuildsOut](b, "list_builds", `{"failed":true}`); out.Total != 1 || out.Builds[0].Scheme != "B" {
		t.Errorf("got %+v, want the failed one", out)
	}
	if one, _ := read[buildops.KeptBuild](b, "show_build", `{"id":"`+out.Builds[0].ID+`"}`); one.Scheme != "B" {
		t.Errorf("got %+v, want the build of that id", one)
	}
}

func (b *bench) keep(r builds.Result) builds.Result {
	b.T.Helper()
	kept, err := builds.Keep(b.T.Context(), b.Deps.Store, r)
	if err != nil {
		b.T.Fatal(err)
	}
	return kept
}

func TestListedBuildIsOneLine(t *testing.T) {
	b := open(t)
	at := workshop.Noon()
	local := at.Local().Format("2006-01-02 15:04:05")
	for want, r := range map[string]builds.Result{
		"build Shop succeeded": {Action: "build", Scheme: "Shop", Project: "/p/Other.xcodeproj", Succeeded: true},
		"build Cart failed: 1 error, 2 warnings, took 1.3s": {
			Action: "build", Project: "/p/Cart", ErrorCount: 1, WarningCount: 2, TookMS: 1250,
		},
		"test W.xcworkspace failed: tests: 3 passed, 1 failed": {
			Action: "test", Project: "/p/W.xcworkspace", Tests: &builds.Tests{Passed: 3, Failed: 1, Total: 4},
		},
		"test S not run: tests: 4 not run, 0 failed, took 100ms": {
			Action: "test", Scheme: "S", NotRun: true, Tests: &builds.Tests{NotRun: 4, Total: 4}, TookMS: 100,
		},
	} {
		r.Time, r.Errors, r.Warnings = at, []builds.Diagnostic{}, []builds.Diagnostic{}
		kept := b.keep(r)
		_, e := read[buildops.KeptBuild](b, "show_build", `{"id":"`+kept.ID+`"}`)
		if first, _, _ := strings.Cut(e.Stdout, "\n"); first != kept.ID+"  "+local+"  "+want {
			t.Errorf("got %q, want %q", first, want)
		}
	}
}

func TestShowBuildListsErrorsInBoundedText(t *testing.T) {
	b := open(t)
	long := strings.Repeat("x", 1000)
	kept := b.keep(builds.Result{
		Time: workshop.Noon(), Action: "test", Project: "/p/W.xcworkspace", ErrorCount: 30, WarningCount: 1, Logs: []string{"/l/1", "/l/2"},
		Errors:   []builds.Diagnostic{{Severity: "error", File: "/p/A.swift", Line: 3, Column: 4, Message: long, Times: 2}},
		Warnings: []builds.Diagnostic{{Severity: "warning", Message: "odd"}},
		Tests: &builds.Tests{Failed: 2, Total: 2, From: "log", Failures: []builds.Failure{
			{ID: "T/C/m", Class: "C", Method: "m", Message: "no", File: "f", Line: 9, Seconds: 1.5}, {ID: "T/C/n", Class: "C", Method: "n"},
		}},
	})
	out, e := read[buildops.KeptBuild](b, "show_build", `{"id":"`+kept.ID+`"}`)
	if out.Workspace != "/p/W.xcworkspace" || out.Project != "" || out.Log != "/l/2" || !slices.Equal(out.OtherLogs, []string{"/l/1"}) {
		t.Errorf("got %+v, want the workspace and the last log first", out)
	}
	d, cases := out.Diagnostics, out.Tests.Cases
	if len(d) != 2 || d[0].Location != "/p/A.swift:3:4" || d[0].Times != 2 || d[0].Message != long || d[1].Severity != "warning" {
		t.Errorf("got %+v, want the error, then the warning", d)
	}
	if len(cases) != 2 || cases[0].DurationMS != 1500 || cases[0].ID != "T/C/m" || len(cases[0].Failures) != 1 ||
		cases[0].Failures[0].Line != 9 || len(cases[1].Failures) != 0 {
		t.Errorf("got %+v, want both failed tests", cases)
	}
	if !strings.Contains(e.Stdout, "/p/A.swift:3:4: error: \"") || strings.Count(e.Stdout, "x") > 420 ||
		!strings.Contains(e.Stdout, "failed C/n") {
		t.Errorf("got\n%s\nwant 400 bytes of the message", e.Stdout)
	}
	if !strings.Contains(e.Stdout, "29 ") || !strings.HasSuffix(e.Stdout, "\nlog: /l/2") {
		t.Errorf("got\n%s\nwant how many are not listed, and the log", e.Stdout)
	}
	many := builds.Result{Time: workshop.Noon(), Action: "build", Scheme: "S"}
	for i := range 100 {
		many.Errors = append(many.Errors, builds.Diagnostic{Severity: "error", Message: fmt.Sprint(i, long)})
	}
	many.ErrorCount = len(many.Errors)
	kept = b.keep(many)
	if _, e := read[buildops.KeptBuild](b, "show_build", `{"id":"`+kept.ID+`"}`); len(e.Stdout) > 3300 {
		t.Errorf("got %d bytes, want 3,200 at most", len(e.Stdout))
	}
}

func TestBuildSucceedsWithoutStore(t *testing.T) {
	b := open(t)
	b.Deps.Store = nil
	b.Builds = buildops.New(b.Deps)
	if _, err := b.Build(t.Context(), b.call, b.tally(b.phone())); err != nil {
		t.Error(err)
	}
}

// swift plays the program of that name: it prints, and exits.
func swift(exit int, prints string) host.Main {
	return func(_ context.Context, in host.Invocation) int {
		fmt.Fprint(in.Stdout, prints)
		return exit
	}
}

// manifest writes an empty package into a folder.
func manifest(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Package.swift"), []byte("// swift-tools-version:6.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPackageBuildsAndTestsAreStored(t *testing.T) {
	b := open(t)
	packages := buildops.NewPackages(b.Deps)
	dir := filepath.Join(b.Dir, "Cart")
	manifest(t, dir)
	p := swiftpackage.Package{Path: dir}
	b.Swift = swift(1, "/p/Sources/Cart.swift:3:5: error: cannot find 'totl' in scope\n")
	done, err := packages.Build(t.Context(), b.call, swiftpackage.Build{Package: p})
	if err != nil || done.Status != swiftpackage.Failed || !b.call.Outside {
		t.Fatalf("got %+v, %v, outside of Apple's tools %v, want a failed build", done, err, b.call.Outside)
	}
	kept, _ := read[buildops.KeptBuild](b, "show_build", `{"id":"latest"}`)
	if kept.Status != "failed" || kept.Action != "build" || kept.Project != dir || kept.Config != "debug" || kept.ErrorCount != 1 ||
		kept.TookMS != int64(done.Seconds*1000) || kept.Log != done.LogFile || kept.Log == "" || kept.Session != "a" ||
		!kept.Time.Equal(workshop.Noon()) {
		t.Errorf("got %+v, want the failed build", kept)
	}
	b.Swift = swift(0, "Build complete! (0.10s)\n")
	p.Release = true
	if done, err = packages.Build(t.Context(), b.call, swiftpackage.Build{Package: p}); err != nil || done.Status != swiftpackage.Succeeded {
		t.Fatalf("got %+v, %v, want a build", done, err)
	}
	if kept, _ = read[buildops.KeptBuild](b, "show_build", `{"id":"latest"}`); kept.Status != "succeeded" || kept.Config != "release" {
		t.Errorf("got %+v, want the build for release", kept)
	}
	b.Swift = swift(1, "Test Case 'CartTests.testTotal' started.\n/p/T.swift:7: error: CartTests.testTotal : no\n"+
		"Test Case 'CartTests.testTotal' failed (0.1 seconds)\n")
	if done, err = packages.Test(t.Context(), b.call, swiftpackage.Test{Package: p}); err != nil || done.Status != swiftpackage.Failed {
		t.Fatalf("got %+v, %v, want failed tests", done, err)
	}
	if kept, _ = read[buildops.KeptBuild](b, "show_build", `{"id":"latest"}`); kept.Action != "test" || kept.Tests.Failed != 1 {
		t.Errorf("got %+v, want the tests", kept)
	}
	if _, err = packages.Build(t.Context(), b.call, swiftpackage.Build{Package: swiftpackage.Package{Path: b.Dir}}); err == nil {
		t.Error("got no fault, want a folder without a package refused")
	}
	if all, _ := read[buildops.BuildsOut](b, "list_builds", `{}`); all.Total != 3 {
		t.Errorf("got %+v, want three builds", all)
	}
	b.Deps.Store = nil
	if _, err = buildops.NewPackages(b.Deps).Build(t.Context(), b.call, swiftpackage.Build{Package: p}); err != nil {
		t.Errorf("got %v, want a build that nobody keeps", err)
	}
}

func TestPackageExecutablesRun(t *testing.T) {
	b := open(t)
	packages := buildops.NewPackages(b.Deps)
	dir := filepath.Join(b.Dir, "Cart")
	manifest(t, dir)
	p := swiftpackage.Package{Path: dir}
	b.Swift = swift(0, "hello\n")
	done, err := packages.Run(t.Context(), b.call, swiftpackage.Run{Package: p, Executable: "cart", Args: []string{"x"}, Timeout: time.Minute})
	if err != nil || !strings.Contains(done.Output, "hello") {
		t.Errorf("got %+v, %v, want what it printed", done, err)
	}
	if ran := b.Ran("swift"); len(ran) == 0 || !strings.HasSuffix(ran[len(ran)-1], "cart -- x") {
		t.Errorf("got %q, want the program and its arguments", ran)
	}
	b.Swift = func(ctx context.Context, _ host.Invocation) int { <-ctx.Done(); return 0 }
	begun, err := packages.Start(t.Context(), b.call, swiftpackage.Run{Package: p, Executable: "cart"})
	if err != nil || begun.Status != swiftpackage.Running {
		t.Fatalf("got %+v, %v, want it running", begun, err)
	}
	if all := packages.List(b.call); len(all) != 1 {
		t.Errorf("got %+v, want one program", all)
	}
	_, err = packages.Stop(t.Context(), &op.Call{Session: "b"}, begun.Process)
	want(t, "a program of another session", err, fault.Forbidden)
	if _, err := packages.Stop(t.Context(), b.call, begun.Process); err != nil || len(packages.List(b.call)) != 0 {
		t.Errorf("got %v, want it ended", err)
	}
	b.Swift = swift(0, "")
	if _, err := packages.Clean(t.Context(), b.call, p); err != nil {
		t.Errorf("got %v, want it cleaned", err)
	}
}
