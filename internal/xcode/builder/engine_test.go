package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/brief"
	"ios-agent/test/soak"
)

// program stands in for xcodebuild.
type program func(ctx context.Context, c host.Cmd) (host.Result, error)

func (p program) Run(ctx context.Context, c host.Cmd) (host.Result, error) { return p(ctx, c) }

func newProject(t *testing.T) (project string) {
	t.Helper()
	project = filepath.Join(t.TempDir(), "Shop.xcodeproj")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	return project
}

func failing(c host.Cmd, exit int) error {
	return &host.ExitError{Name: c.Name, Args: c.Args, Code: exit}
}

func TestBuildsInOneFolderRunInSequence(t *testing.T) {
	project := newProject(t)
	other := newProject(t)
	synctest.Test(t, func(t *testing.T) {
		running, most := map[string]int{}, 0
		var mu sync.Mutex
		e := New(Options{Dir: t.TempDir(), Run: program(func(_ context.Context, c host.Cmd) (host.Result, error) {
			mu.Lock()
			running[c.Args[1]]++
			most = max(most, running[c.Args[1]])
			mu.Unlock()
			time.Sleep(time.Minute)
			mu.Lock()
			running[c.Args[1]]--
			mu.Unlock()
			return host.Result{}, nil
		})})
		start := time.Now()
		var heard []string
		var all sync.WaitGroup
		for i, path := range []string{project, project, project, other} {
			all.Go(func() {
				_, err := e.Do(t.Context(), Request{Action: Build, Project: path, Scheme: "S", Destination: Destination{Platform: IOS}},
					func(p Progress) {
						mu.Lock()
						defer mu.Unlock()
						heard = append(heard, p.Message)
					})
				if err != nil {
					t.Errorf("build %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); most != 1 || took != 3*time.Minute {
			t.Errorf("%d at once in one folder, %s for all", most, took)
		}
		said := strings.Join(heard, "\n")
		if !strings.Contains(said, "waiting: 2 builds of this project first") ||
			!strings.Contains(said, "waiting: 1 build of this project first") {
			t.Errorf("heard:\n%s", said)
		}
	})
}

func TestCancelledWaitLeavesBuildQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		leave, err := q.enter(t.Context(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := q.enter(ctx, "k", func(int) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		leave()
		if leave, err = q.enter(t.Context(), "k", nil); err != nil {
			t.Fatal(err)
		}
		leave()
		if len(q.lines) != 0 {
			t.Error("the queue remembers who left")
		}
	})
}

// TestHugeBuildLogKeepsMemorySmall builds with 20 MB of output, or 200 in make soak: an answer is made of it, and memory stays small.
func TestHugeBuildLogKeepsMemorySmall(t *testing.T) {
	size, most := 20<<20, uint64(1<<20)
	if soak.Asked() {
		size, most = 200<<20, 4<<20
	}
	project := newProject(t)
	line := []byte("    builtin-copy -exclude .DS_Store " + strings.Repeat("/some/long/path", 12))
	var start, peak uint64
	e := New(Options{Dir: t.TempDir(), Run: program(func(_ context.Context, c host.Cmd) (host.Result, error) {
		if c.MaxOutput != keptOutput || c.Spool == "" {
			t.Errorf("kept %d bytes, spool %q", c.MaxOutput, c.Spool)
		}
		var m runtime.MemStats
		for i, total := 0, 0; total < size; i, total = i+1, total+len(line) {
			switch {
			case i%1000 == 0:
				c.OnLine(host.Stdout, []byte(fmt.Sprintf("SwiftCompile normal arm64 /src/F%d.swift (in target 'Shop' from project 'Shop')", i)))
			case i%1000 == 1:
				c.OnLine(host.Stdout, []byte(fmt.Sprintf("/src/F%d.swift:1:1: warning: number %d", i, i)))
			default:
				c.OnLine(host.Stdout, line)
			}
			if i%20_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&m)
				start, peak = cmp.Or(start, m.HeapAlloc), max(peak, m.HeapAlloc)
			}
		}
		c.OnLine(host.Stdout, []byte("/src/Last.swift:9:9: error: it is here"))
		return host.Result{ExitCode: 65, Stderr: []byte("** BUILD FAILED **\n")}, failing(c, 65)
	})})
	out, err := e.Do(t.Context(), Request{Action: Build, Project: project, Scheme: "S", Destination: Destination{Platform: IOS}},
		func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	text := out.Report(Style{}).Text()
	if !strings.Contains(text, "/src/Last.swift:9:9: error: it is here") || len(text) > brief.Limit+200 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if held := peak - start; held > most {
		t.Errorf("%d KB of memory for %d MB of log", held>>10, size>>20)
	}
}

// TestReportSaysHowManyErrorsItOmits: a thousand of them fit into an answer that says how many it leaves out.
func TestReportSaysHowManyErrorsItOmits(t *testing.T) {
	project := newProject(t)
	e := New(Options{Dir: t.TempDir(), Run: program(func(_ context.Context, c host.Cmd) (host.Result, error) {
		c.OnLine(host.Stdout, []byte("CompileSwift normal arm64"))
		for i := range 1000 {
			for range 2 { // every compiler job prints them again
				c.OnLine(host.Stdout, []byte(fmt.Sprintf("/src/F%d.swift:1:1: error: cannot find 'name%d' in scope", i, i)))
			}
		}
		return host.Result{ExitCode: 65}, failing(c, 65)
	})})
	out, err := e.Do(t.Context(), Request{Action: Build, Project: project, Scheme: "S", Destination: Destination{Platform: IOS}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := out.Report(Style{})
	text := report.Text()
	if len(report.Diagnostics.Errors) != mostListed || report.Diagnostics.ErrorCount < mostListed ||
		!strings.Contains(text, "more errors") || len(text) > brief.Limit+200 {
		t.Errorf("%d listed of %d, %d bytes:\n%s", len(report.Diagnostics.Errors), report.Diagnostics.ErrorCount, len(text), text)
	}
	if report.Fault().Code != fault.BuildFailed {
		t.Error(report.Fault())
	}
}

// TestDiagnosticGetsSourceLineFromFile: a diagnostic that came without its line gets it from the file.
func TestDiagnosticGetsSourceLineFromFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "A.swift")
	if err := os.WriteFile(file, []byte("one\n\tlet x = y\r\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, column int
		want         string
	}{{2, 6, "\tlet x = y|\t    ^"}, {2, 0, "\tlet x = y"}, {3, 99, "three"}, {4, 1, ""}, {0, 0, ""}} {
		var s sources
		d := buildlog.Diagnostic{Place: buildlog.Place{File: file, Line: c.line, Column: c.column}}
		s.complete(&d)
		if got := strings.Join(d.Excerpt, "|"); got != c.want {
			t.Errorf("line %d, column %d: %q", c.line, c.column, got)
		}
	}
	var s sources
	d := buildlog.Diagnostic{Place: buildlog.Place{File: "/dev/zero", Line: 1}}
	if s.complete(&d); d.Excerpt != nil {
		t.Error("read a device")
	}
}

// TestCancelEndsBuildAndItsChildren ends a real process, and its children, through the real host.
func TestCancelEndsBuildAndItsChildren(t *testing.T) {
	project := newProject(t)
	bin := t.TempDir()
	script := "#!/bin/sh\necho CompileSwift normal arm64\nsleep 1000 &\nwait\n"
	if err := os.WriteFile(filepath.Join(bin, "xcodebuild"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	e := New(Options{Run: h, Tools: apple.Toolchain{Bin: bin}, Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan struct{})
	var once sync.Once
	ended := make(chan error, 1)
	go func() {
		_, err := e.Do(ctx, Request{Action: Build, Project: project, Scheme: "S", Destination: Destination{Platform: IOS}}, func(p Progress) {
			if strings.HasPrefix(p.Message, "compiling") {
				once.Do(func() { close(began) })
			}
		})
		ended <- err
	}()
	<-began
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	leave, err := e.queue.enter(t.Context(), e.derivedData(Request{Project: project}), nil)
	if err != nil {
		t.Fatal("the queue is not free:", err)
	}
	leave()
}

func TestProgressReportsAreRateLimited(t *testing.T) {
	now := time.Unix(0, 0)
	var heard []string
	tell := reporter{now: func() time.Time { return now }, watch: func(p Progress) { heard = append(heard, p.Message) }}
	for i := range 1000 {
		now = now.Add(10 * time.Millisecond)
		tell.progress(buildlog.Progress{Stage: buildlog.Compiling, Compiled: i + 1, Target: "Shop"})
	}
	tell.progress(buildlog.Progress{Stage: buildlog.Linking, Compiled: 1000})
	for range 3 {
		tell.event(buildlog.Test{Status: buildlog.Failed})
	}
	tell.progress(buildlog.Progress{Stage: buildlog.RunningTests})
	if len(heard) < 20 || len(heard) > 40 || heard[len(heard)-1] != "running tests: 3 done, 3 failed" {
		t.Errorf("%d reports, the last: %q", len(heard), heard[len(heard)-1])
	}
}

func TestDerivedDataFolderDependsOnProject(t *testing.T) {
	e := New(Options{Dir: "/home/builds", XcodeData: "/u/Library/Developer/Xcode/DerivedData"})
	for name, c := range map[string]struct {
		request Request
		want    string
	}{
		"own":    {Request{Project: "/a/My App.xcodeproj"}, "/home/builds/My_App-"},
		"given":  {Request{Project: "/a/B.xcodeproj", DerivedData: "/dd"}, "/dd"},
		"xcodes": {Request{Project: "/a/B.xcodeproj", DerivedData: "/u/Library/Developer/Xcode/DerivedData/"}, ""},
	} {
		if got := e.derivedData(c.request); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if e.derivedData(Request{Project: "/a/B.xcodeproj"}) == e.derivedData(Request{Project: "/b/B.xcodeproj"}) {
		t.Error("two clones share a folder")
	}
}

func TestPruneKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		name := fmt.Sprintf("xcodebuild-20260102T1504%02d.000-%d.log", i, 1000-i)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir, 5)
	left, _ := os.ReadDir(dir)
	if len(left) != 5 || !strings.Contains(left[0].Name(), "T150425") {
		t.Errorf("%v", left)
	}
}

func TestNearestFindsProjectOrWorkspace(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"App/Shop.xcodeproj/project.xcworkspace", "App/Shop.xcworkspace", "App/Sources/Deep",
		"Pods/Pods.xcodeproj", "Two/A.xcodeproj", "Two/B.xcodeproj", "None"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ours := filepath.Join(top, "None", "home")
	for _, dir := range []string{"versions", "run", "key", "agent/a/IosAgent.xcodeproj"} {
		if err := os.MkdirAll(filepath.Join(ours, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"App": "App/Shop.xcworkspace", "App/Sources/Deep": "App/Shop.xcworkspace", "Two": string(fault.ProjectAmbiguous),
		"None": string(fault.ProjectNotFound),
		"":     "App/Shop.xcworkspace", "App/Shop.xcodeproj": "App/Shop.xcworkspace",
	} {
		project, workspace, err := Nearest(filepath.Join(top, dir), top)
		got := strings.TrimPrefix(project+workspace, top+"/")
		if err != nil {
			got = string(fault.From(err).Code)
		}
		if got != want {
			t.Errorf("from %q: %s, not %s", dir, got, want)
		}
	}
}

// TestUnknownDestinationReturnsAvailableOnes: what xcodebuild offers instead is in an error of its own type, so that nobody reads it from a
// text.
func TestUnknownDestinationReturnsAvailableOnes(t *testing.T) {
	const mac = "\t\t{ platform:macOS, arch:arm64, id:1, name:My Mac }\n"
	const phone = "\t\t{ platform:iOS Simulator, id:2, OS:18.1, name:iPhone 16 }\n"
	for offers, macOnly := range map[string]bool{mac: true, mac + phone: false} {
		refusal := []byte("xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ " +
			"platform:iOS Simulator, id:9 }\n\n" +
			"\tAvailable destinations for the \"S\" scheme:\n" + offers)
		e := New(Options{Dir: t.TempDir(), Run: program(func(_ context.Context, c host.Cmd) (host.Result, error) {
			if c.Args[0] == "-list" {
				return host.Result{Stdout: []byte(`{"project":{"name":"Shop","schemes":["S"]}}`)}, nil
			}
			return host.Result{ExitCode: 70, Stderr: refusal}, failing(c, 70)
		})})
		r := Request{Action: Build, Project: newProject(t), Scheme: "S", Destination: Destination{Platform: IOS + Simulated, ID: "9"}}
		_, err := e.Do(t.Context(), r, nil)
		var no *DestinationError
		if !errors.As(err, &no) || !fault.Is(err, fault.DeviceNotFound) {
			t.Fatalf("%v", err)
		}
		if no.MacOnly() != macOnly || no.Scheme != "S" || no.Requested != r.Destination {
			t.Errorf("%+v", no)
		}
		if err.Error() != "xcodebuild cannot use the destination platform=iOS Simulator,id=9 for S" ||
			!strings.HasPrefix(fault.From(err).Hint, "the destinations are ") {
			t.Errorf("%v, hint %q", err, fault.From(err).Hint)
		}
	}
}

func TestBundleIDRefusesFolderWithoutApp(t *testing.T) {
	if _, err := BundleID(newProject(t)); !fault.Is(err, fault.PathError) {
		t.Errorf("a folder that is no app: %v", err)
	}
}

// TestMacrosRunOnlyWhenTrusted: macros of packages are code of strangers. Xcode asks before it runs them; so it is for the user to say, or
// for the caller who is asked about every build.
func TestMacrosRunOnlyWhenTrusted(t *testing.T) {
	const refusal = "/p/Package.swift:PACKAGE-TARGET:FooMacros: error: Target 'FooMacros' must be enabled before it can be used."
	for _, c := range []struct {
		trust bool
		extra []string
		want  int
	}{{false, nil, 0}, {true, nil, 1}, {false, []string{skipMacros}, 1}, {true, []string{skipMacros}, 1}} {
		var argv []string
		e := New(Options{Dir: t.TempDir(), TrustMacros: c.trust, Run: program(func(_ context.Context, cmd host.Cmd) (host.Result, error) {
			argv = cmd.Args
			cmd.OnLine(host.Stdout, []byte(refusal))
			cmd.OnLine(host.Stdout, []byte("** BUILD FAILED **"))
			return host.Result{ExitCode: 65}, failing(cmd, 65)
		})})
		out, err := e.Do(t.Context(), Request{Action: Build, Project: newProject(t), Scheme: "S", Destination: Destination{Platform: IOS},
			ExtraArgs: c.extra}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(strings.Join(argv, " "), skipMacros); n != c.want {
			t.Errorf("%+v: %q", c, argv)
		}
		report := out.Report(Style{})
		if found := report.Diagnostics.Errors; len(found) != 1 || !strings.Contains(strings.Join(found[0].Notes, " "), skipMacros) {
			t.Errorf("%+v", found)
		}
	}
}
