package swiftpackage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// swift is a small program in swift's place: what is tested is how its processes are handled.
const swift = `#!/bin/sh
case "$*" in
*describe*) exec cat products.json ;;
*--show-codecov-path*) exec echo /p/codecov.json ;;
esac
echo "argv: $*"
for last; do :; done
case "$*" in
*enable-code-coverage*) echo "Test Case 'T.a' passed (0.1 seconds)" ;;
*stay*) echo partial output; [ -p "$last" ] && echo ready >"$last"; sleep 4711 ;;
*warn*) echo "[1/2] Compiling"; echo "/x.swift:1:2: warning: odd" >&2 ;;
*broken*) echo "/x.swift:1:2: error: broken for a test"; exit 3 ;;
*failing*) echo "Test Case 'T.a' started."; echo "/x.swift:7: error: T.a : no"; echo "Test Case 'T.a' failed (0.1 seconds)"; exit 1 ;;
*exit7*) exit 7 ;;
*much*) i=0; while [ $i -lt 3000 ]; do echo "line $i of many"; i=$((i+1)); done ;;
esac
`

func open(t *testing.T) (*Service, Package) {
	t.Helper()
	dir := t.TempDir()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, filepath.Join(dir, "swift"), swift)
	write(t, filepath.Join(dir, "pkg", "Package.swift"), "// swift-tools-version:6.0")
	service := New(Options{Run: h, Start: h, Swift: filepath.Join(dir, "swift"), Logs: filepath.Join(dir, "logs")})
	return service, Package{Path: filepath.Join(dir, "pkg")}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want %s with %q", err, code, text)
	}
}

func TestBuildReportsWarningsAndErrors(t *testing.T) {
	s, p := open(t)
	p.Release, p.AsLibrary = true, true
	var steps []string
	out, err := s.Build(t.Context(), Build{Package: p, Target: "warn", Archs: []string{"arm64"}},
		func(line string) { steps = append(steps, line) })
	if err != nil {
		t.Fatal(err)
	}
	if out.Fault() != nil || out.Status != Succeeded || *out.ExitCode != 0 || out.Message != "swift build succeeded" {
		t.Errorf("%+v", out)
	}
	if want := "argv: build --package-path " + p.Path +
		" -c release --target warn --arch arm64 -Xswiftc -parse-as-library"; !strings.Contains(out.Text(), want) {
		t.Errorf("no %q in\n%s", want, out.Text())
	}
	if fmt.Sprint(steps) != "[[1/2] Compiling]" || fmt.Sprint(out.Warnings) != "[warning: /x.swift:1:2: odd]" {
		t.Errorf("steps %q, warnings %q", steps, out.Warnings)
	}
	if whole, err := os.ReadFile(out.LogFile); err != nil || !strings.Contains(string(whole), "warning: odd") {
		t.Errorf("the log: %q, %v", whole, err)
	}

	out, err = s.Build(t.Context(), Build{Package: p, Target: "broken"}, nil)
	if err != nil || out.Status != Failed || *out.ExitCode != 3 || fmt.Sprint(out.Errors) != "[error: /x.swift:1:2: broken for a test]" {
		t.Fatalf("%+v, %v", out, err)
	}
	wants(t, out.Fault(), fault.BuildFailed, "swift build of "+p.Path+" failed")
}

func TestInvalidPackageOrMissingSwiftIsRefused(t *testing.T) {
	s, p := open(t)
	_, err := s.Build(t.Context(), Build{Package: p, Target: "--disable-sandbox"}, nil)
	wants(t, err, fault.InvalidInput, "begins like an option")
	gone := filepath.Join(p.Path, "gone")
	_, err = s.Clean(t.Context(), Package{Path: gone})
	wants(t, err, fault.PathError, gone+" does not exist")
	_, err = s.Run(t.Context(), Run{Package: Package{Path: filepath.Dir(p.Path)}}, nil)
	wants(t, err, fault.PathError, "it has no Package.swift")
	_, err = s.Start(t.Context(), "me", Run{Package: Package{Path: filepath.Join(p.Path, "Package.swift")}})
	wants(t, err, fault.PathError, "is not a folder")
	s.tool.Swift = filepath.Join(gone, "swift")
	_, err = s.Test(t.Context(), Test{Package: p}, nil)
	wants(t, err, fault.ToolMissing, "cannot find swift")
	_, err = s.Start(t.Context(), "me", Run{Package: p})
	wants(t, err, fault.ToolMissing, "cannot find swift")
	if s.background.starting != 0 {
		t.Error("a program that did not start keeps its place")
	}
}

func TestPackageTestsReportCountsAndFailures(t *testing.T) {
	s, p := open(t)
	out, err := s.Test(t.Context(), Test{Package: p, Coverage: true}, nil)
	if err != nil || out.Fault() != nil || out.Codecov != "/p/codecov.json" || *out.Tests != (Counts{Passed: 1}) {
		t.Fatalf("%+v, %v", out, err)
	}
	out, err = s.Test(t.Context(), Test{Package: p, Filter: "failing", Serial: true}, nil)
	if err != nil || *out.Tests != (Counts{Failed: 1}) || len(out.Failures) != 1 || !strings.Contains(out.Text(), "--no-parallel") {
		t.Fatalf("%+v, %v", out, err)
	}
	wants(t, out.Fault(), fault.TestsFailed, "swift test")
	out, err = s.Test(t.Context(), Test{Package: p, Filter: "broken"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out.Fault(), fault.BuildFailed, "swift test")
}

func TestRunReportsTimeoutAndFailures(t *testing.T) {
	s, p := open(t)
	out, err := s.Run(t.Context(), Run{Package: p, Executable: "tool", Args: []string{"stay"}, Timeout: 300 * time.Millisecond}, nil)
	if err != nil || out.Status != TimedOut || out.ExitCode != nil || !strings.Contains(out.Output, "partial output") {
		t.Fatalf("%+v, %v", out, err)
	}
	wants(t, out.Fault(), fault.Timeout, "was ended")
	for executable, code := range map[string]fault.Code{"exit7": fault.ToolFailed, "broken": fault.BuildFailed} {
		out, err := s.Run(t.Context(), Run{Package: p, Executable: executable, Timeout: time.Minute}, nil)
		if err != nil || out.Status != Failed {
			t.Fatalf("%+v, %v", out, err)
		}
		wants(t, out.Fault(), code, "swift run of")
	}
	out, err = s.Run(t.Context(), Run{Package: p, Executable: "much", Timeout: time.Minute}, nil)
	if err != nil || len(out.Output) > mostPrinted+100 || !strings.HasSuffix(out.Output, "line 2999 of many") ||
		!strings.HasPrefix(out.Output, "… ") {
		t.Fatalf("%d bytes: %.80q, %v", len(out.Output), out.Output, err)
	}
}

func TestRunPicksTheOnlyExecutable(t *testing.T) {
	s, p := open(t)
	product := `{"name":"%s","type":{"executable":null}}`
	for products, want := range map[string]string{
		"":                           "does not have a program to run",
		fmt.Sprintf(product, "tool"): "tool -- a",
		fmt.Sprintf(product, "tool") + "," + fmt.Sprintf(product, "other"): "several programs: tool, other",
	} {
		write(t, filepath.Join(p.Path, "products.json"), `{"products":[`+products+`]}`)
		out, err := s.Run(t.Context(), Run{Package: p, Args: []string{"a"}, Timeout: time.Minute}, nil)
		if got := fmt.Sprint(err, out); err == nil && !strings.Contains(out.Output, want) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %s", want, got)
		}
	}
}

// stay starts a program for a session and waits until it runs.
func stay(t *testing.T, s *Service, p Package, session string) *Result {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	if err := unix.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := s.Start(t.Context(), session, Run{Package: p, Executable: "server", Args: []string{"stay", ready}})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := os.ReadFile(ready); err != nil || string(line) != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return out
}

func TestStopEndsOwnBackgroundProgramOnly(t *testing.T) {
	s, p := open(t)
	if all := s.List(); len(all) != 0 || all == nil {
		t.Fatalf("%v", all)
	}
	mine, theirs := stay(t, s, p, "me"), stay(t, s, p, "you")
	if all := s.List(); len(all) != 2 || all[0].State != "running" || all[0].Executable != "server" || all[0].Package != p.Path {
		t.Fatalf("%+v", all)
	}
	_, err := s.Stop(t.Context(), "me", theirs.Process)
	wants(t, err, fault.Forbidden, `belongs to the session "you"`)
	out, err := s.Stop(t.Context(), "me", mine.Process)
	if err != nil || !strings.Contains(out.Message, "ended process") || !strings.Contains(out.Output, "partial output") || out.LogFile == "" {
		t.Fatalf("%+v, %v", out, err)
	}
	_, err = s.Stop(t.Context(), "me", mine.Process)
	wants(t, err, fault.AppNotRunning, "no program in the background")
	if all := s.List(); len(all) != 1 || all[0].PID != theirs.Process || all[0].Session != "you" {
		t.Fatalf("%+v", all)
	}
}

// A program that ended by itself is in the list until its output is taken or its place is needed; the living keep theirs.
func TestEndedProgramsMakeRoom(t *testing.T) {
	s, p := open(t)
	living := stay(t, s, p, "me")
	var ended []int
	for range mostBackground - 1 {
		out, err := s.Start(t.Context(), "me", Run{Package: p, Executable: "exit7"})
		if err != nil {
			t.Fatal(err)
		}
		ended = append(ended, out.Process)
	}
	for _, pid := range ended {
		<-s.background.runs[pid].process.Done()
	}
	states := map[string]int{}
	for _, r := range s.List() {
		states[r.State]++
	}
	if states["running"] != 1 || states["ended with exit code 7"] != mostBackground-1 {
		t.Fatalf("%v", states)
	}
	stay(t, s, p, "me")
	_, err := s.Stop(t.Context(), "me", ended[0])
	wants(t, err, fault.AppNotRunning, "")
	out, err := s.Stop(t.Context(), "me", ended[1])
	if err != nil || out.Message != fmt.Sprintf("process %d had ended with exit code 7", ended[1]) {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := s.Stop(t.Context(), "me", living.Process); err != nil {
		t.Error(err)
	}
}

func TestStartRefusesTooManyPrograms(t *testing.T) {
	s, p := open(t)
	for range mostBackground {
		if !s.background.reserve() {
			t.Fatal("refused too early")
		}
	}
	_, err := s.Start(t.Context(), "me", Run{Package: p, Executable: "exit7"})
	wants(t, err, fault.InvalidInput, "background program limit reached (32)")
}
