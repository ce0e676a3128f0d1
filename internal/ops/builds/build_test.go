package builds_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/choose"
	"ios-agent/internal/xcode/scaffold"
	"ios-agent/test/fakedevice"
	"ios-agent/test/workshop"
)

// bench is the room over a workshop.
type bench struct {
	*workshop.Workshop
	*fakedevice.Room
	*builds.Builds
	call *op.Call
}

func open(t *testing.T) *bench {
	t.Helper()
	b := &bench{Workshop: workshop.New(t), call: &op.Call{Session: "a"}}
	b.Builds = builds.New(b.Deps)
	b.Room = fakedevice.Open(t, slices.Concat(b.Builds.Ops(), builds.NewBuildList(b.Deps.Store).Ops()))
	return b
}

// tally is a build of the sample app.
func (b *bench) tally(on choose.Destination) builds.In {
	return builds.In{Project: b.project("app", "Tally"), On: on}
}

func (b *bench) project(sample, name string) builds.Project {
	return builds.Project{Project: op.Path(filepath.Join(b.Sample(sample), name+".xcodeproj")), Scheme: name}
}

// phone is the booted simulator.
func (b *bench) phone() choose.Destination {
	return choose.Destination{Kind: choose.OnSimulator, Simulator: pool.Simulator{ID: b.Info.UDID}}
}

// TestMacBuildSettingsNeedNoDestination: what names no architecture is asked for without a destination, everything else with one.
func TestMacBuildSettingsNeedNoDestination(t *testing.T) {
	b := open(t)
	mac := builds.In{Project: b.project("macos", "Notes"), On: choose.Destination{Kind: choose.OnMac}}
	arch := mac
	arch.On.Arch = "arm64"
	for name, c := range map[string]struct {
		builds.In
		destination bool
	}{"simulator": {b.tally(b.phone()), true}, "Mac": {mac, false}, "architecture": {arch, true}} {
		for does, do := range map[string]func() error{
			"build":    func() error { _, err := b.Build(t.Context(), b.call, c.In); return err },
			"app":      func() error { _, _, err := b.BuildApp(t.Context(), b.call, c.In); return err },
			"app path": func() error { _, err := b.AppPath(t.Context(), b.call, c.In); return err },
		} {
			b.Ran("")
			if err := do(); err != nil {
				t.Fatalf("%s of a %s: %v", does, name, err)
			}
			asked := slices.DeleteFunc(b.Ran("xcodebuild"), func(line string) bool { return !strings.Contains(line, "-showBuildSettings") })
			if len(asked) != 1 || strings.Contains(asked[0], "-destination") != c.destination {
				t.Errorf("%s of a %s: got %q, want its settings with a destination: %v", does, name, asked, c.destination)
			}
		}
	}
}

// built are the runs of xcodebuild that build or test.
func (b *bench) built() (lines []string) {
	for _, line := range b.Ran("xcodebuild") {
		if strings.Contains(line, " -destination ") && !strings.Contains(line, "-showBuildSettings") {
			lines = append(lines, line)
		}
	}
	return lines
}

func want(t *testing.T, what string, err error, code fault.Code, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: got no fault, want %s", what, code)
		return
	}
	fakedevice.WantFault(t, what, fault.From(err), code, words...)
}

func TestBuildReportsItsProduct(t *testing.T) {
	b := open(t)
	b.Ran("")
	in := b.tally(b.phone())
	in.ExtraArgs, in.DerivedData = []string{"-quiet"}, op.Path(filepath.Join(b.Dir, "derived"))
	out, err := b.Build(t.Context(), b.call, in)
	if err != nil || out.Fault() != nil {
		t.Fatalf("got %v, %v, want a build", err, out.Fault())
	}
	if a := out.Artifacts; filepath.Base(a.AppPath) != "Tally.app" || a.BundleID != "com.example.tally" || a.SimulatorID != b.Info.UDID ||
		a.DeviceID != "" || !strings.HasPrefix(a.AppPath, string(in.DerivedData)) {
		t.Errorf("got %+v, want the app in the folder that was asked for", a)
	}
	if out.Summary.Target != "simulator" || out.Request.On != "iPhone 16 ("+b.Info.OS+")" || b.call.Device.UDID != b.Info.UDID {
		t.Errorf("got %+v on %q, %+v, want the simulator in words", out.Summary, out.Request.On, b.call.Device)
	}
	lines := b.built()
	if len(lines) != 1 || !strings.Contains(lines[0], "-destination platform=iOS Simulator,id="+b.Info.UDID) ||
		!strings.Contains(lines[0], "-quiet") || !strings.Contains(lines[0], "-scheme Tally") || !strings.HasSuffix(lines[0], " build") {
		t.Errorf("got %q, want one build of the scheme for the simulator", lines)
	}
}

func TestBuildForTestingReportsTestsWithoutApp(t *testing.T) {
	b := open(t)
	in := b.tally(b.phone())
	in.ForTesting = true
	out, err := b.Build(t.Context(), b.call, in)
	if err != nil || out.Fault() != nil || out.Artifacts.AppPath != "" || len(out.Artifacts.XCTestRuns) != 1 {
		t.Errorf("got %+v, %v, want the tests that were built, and no app", out.Artifacts, err)
	}
	if lines := b.built(); len(lines) != 1 || !strings.HasSuffix(lines[0], " build-for-testing") {
		t.Errorf("got %q, want a build for testing", lines)
	}
}

func TestBuildSupportsPhysicalDeviceAndMac(t *testing.T) {
	b := open(t)
	out, err := b.Build(t.Context(), b.call, b.tally(choose.Destination{Kind: choose.OnDevice, Device: workshop.Physical}))
	if a := out.Artifacts; err != nil || a.DeviceID != workshop.Physical || a.SimulatorID != "" || b.call.Device.UDID != workshop.Physical {
		t.Errorf("got %+v, %v, want it built for the phone", out.Artifacts, err)
	}
	for arch, words := range map[string]string{"": "macOS", "arm64": "macOS arm64"} {
		out, err = b.Build(t.Context(), b.call, builds.In{
			Project: b.project("macos", "Notes"), On: choose.Destination{Kind: choose.OnMac, Arch: arch},
		})
		if err != nil || out.Request.On != words || filepath.Base(out.Artifacts.AppPath) != "Notes.app" || out.Artifacts.DeviceID != "" {
			t.Errorf("%q: got %+v on %q, %v, want the app of this Mac", arch, out.Artifacts, out.Request.On, err)
		}
	}
	_, err = b.Build(t.Context(), b.call, b.tally(choose.Destination{Kind: choose.OnSimulator, Simulator: pool.Simulator{Name: "iPhone 3"}}))
	want(t, "a simulator that is not there", err, fault.DeviceNotFound)
}

func TestFailedBuildReportsItsErrors(t *testing.T) {
	b := open(t)
	in := builds.In{Project: b.project("broken", "Broken"), On: b.phone()}
	b.call.Dir = filepath.Dir(string(in.Project.Project))
	out, err := b.Build(t.Context(), b.call, in)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "build", out.Fault(), fault.BuildFailed)
	if out.Artifacts.AppPath != "" || out.Diagnostics.ErrorCount != 1 || out.Diagnostics.WarningCount != 1 {
		t.Errorf("got %+v, want an error, a warning and no app", out.Diagnostics)
	}
	if text := out.Text(); !strings.Contains(text, "\nBroken/Basket.swift:") || strings.Contains(text, b.call.Dir+"/Broken/Basket.swift") {
		t.Errorf("got\n%s\nwant the place below the client's folder", text)
	}
	b.call.Dir = filepath.Join(b.Dir, "link")
	b.Rig.Must(os.Symlink(filepath.Dir(string(in.Project.Project)), b.call.Dir))
	if linked, err := b.Build(t.Context(), b.call, in); err != nil || !strings.Contains(linked.Text(), "\nBroken/Basket.swift:") {
		t.Errorf("got\n%s\n%v, want the place below a folder that is a link", linked.Text(), err)
	}
	in.NoWarnings = true
	quiet, err := b.Build(t.Context(), b.call, in)
	if err != nil || strings.Contains(quiet.Text(), "warning: ") || !strings.Contains(out.Text(), "warning") {
		t.Errorf("got\n%s\n%v, want no warning where none is wanted", quiet.Text(), err)
	}
}

func TestBuildTextShowsNotesAndOutline(t *testing.T) {
	out := builds.Out{Outline: "button", Notes: []string{"one", "two"}}
	if text := out.Text(); !strings.HasSuffix(text, "\nnote: one\nnote: two\nbutton") {
		t.Errorf("got %q, want the notes, then the outline", text)
	}
	if text := (builds.Out{}).Text(); strings.HasSuffix(text, "\n") {
		t.Errorf("got %q, want no empty line", text)
	}
	stopped := out.Stopped("it was built, but", fault.New(fault.AppLaunchFailed, "no"))
	want(t, "a step after the build", stopped.Fault(), fault.AppLaunchFailed, "it was built, but: no")
}

func TestBuildAppUsesGenericDestinationForDevice(t *testing.T) {
	b := open(t)
	b.Ran("")
	out, on, err := b.BuildApp(t.Context(), b.call, b.tally(choose.Destination{Kind: choose.OnDevice, Device: workshop.Physical}))
	if err != nil || out.Fault() != nil || filepath.Base(out.Artifacts.AppPath) != "Tally.app" || on.ID != workshop.Physical {
		t.Fatalf("got %+v on %+v, %v, %v, want the app", out.Artifacts, on, err, out.Fault())
	}
	if lines := b.built(); len(lines) != 1 || strings.Contains(lines[0], workshop.Physical) ||
		!strings.Contains(lines[0], "generic/platform=iOS") {
		t.Errorf("got %q, want one build for every device", lines)
	}
	_, _, err = b.BuildApp(t.Context(), b.call, b.tally(choose.Destination{Kind: choose.OnDevice, Device: "none"}))
	want(t, "a device that nobody knows", err, fault.DeviceNotFound, "the app cannot run on device none: ")
	if lines := b.built(); len(lines) != 0 {
		t.Errorf("got %q, want it refused before a build", lines)
	}
	out, _, err = b.BuildApp(t.Context(), b.call, builds.In{Project: b.project("broken", "Broken"), On: b.phone()})
	if err != nil || out.Fault() == nil || out.Artifacts.AppPath != "" {
		t.Errorf("got %+v, %v, want the failed build", out.Artifacts, err)
	}
}

func TestAppPathReportsWhetherAppExists(t *testing.T) {
	b := open(t)
	in := b.tally(b.phone())
	before, err := b.AppPath(t.Context(), b.call, in)
	if err != nil || before.Exists || before.BundleID != "com.example.tally" || before.Target != "Tally" {
		t.Errorf("got %+v, %v, want an app that was not built", before, err)
	}
	if _, err := b.Build(t.Context(), b.call, in); err != nil {
		t.Fatal(err)
	}
	if after, err := b.AppPath(t.Context(), b.call, in); err != nil || !after.Exists || after.Path != before.Path {
		t.Errorf("got %+v, %v, want the app at %s", after, err, before.Path)
	}
	id, err := b.BundleID(op.Path(before.Path))
	if err != nil || id != "com.example.tally" {
		t.Errorf("got %q, %v, want its bundle id", id, err)
	}
	_, err = b.AppPath(t.Context(), b.call, b.tally(choose.Destination{Kind: choose.OnSimulator, Simulator: pool.Simulator{Name: "none"}}))
	want(t, "a simulator that is not there", err, fault.DeviceNotFound)
	in.Scheme = "Nothing"
	_, err = b.AppPath(t.Context(), b.call, in)
	want(t, "a scheme that is not there", err, fault.SchemeNotFound)
	logs, errs, err := b.AppLogs(before.Path)
	if err != nil || logs == errs || logs == "" {
		t.Errorf("got %q, %q, %v, want two files", logs, errs, err)
	}
}

func TestCleanIsNotListedAsBuild(t *testing.T) {
	b := open(t)
	out, err := b.Clean(t.Context(), b.call, b.tally(choose.Destination{Platform: "iOS"}))
	if err != nil || out.Fault() != nil || out.Summary.Action != builder.Clean {
		t.Errorf("got %+v, %v, want it cleaned", out.Summary, err)
	}
	if lines := b.built(); len(lines) != 1 || !strings.HasSuffix(lines[0], " clean") || !strings.Contains(lines[0], "generic/platform=iOS") {
		t.Errorf("got %q, want a clean", lines)
	}
	if got := b.Result("list_builds", `{}`); got["total"] != 0.0 {
		t.Errorf("got %v, want nothing kept", got)
	}
}

func TestToolsGetOnlyNeededClientVariables(t *testing.T) {
	b := open(t)
	b.call.Env = map[string]string{"DEVELOPER_DIR": "/Applications/Xcode-beta.app", "SSH_AUTH_SOCK": "/s", "SECRET": "x"}
	if _, err := b.Build(t.Context(), b.call, b.tally(b.phone())); err != nil {
		t.Fatal(err)
	}
	if len(b.call.Env) != 3 {
		t.Errorf("got %v, want the client's environment as it was", b.call.Env)
	}
	env := b.Env("xcodebuild")
	for name, seen := range map[string]bool{"DEVELOPER_DIR": true, "SSH_AUTH_SOCK": true, "SECRET": false} {
		if _, has := env[name]; has != seen {
			t.Errorf("got %s seen %v, want %v", name, has, seen)
		}
	}
}

func TestBuildReportsProgress(t *testing.T) {
	b := open(t)
	var told []op.Event
	c := (op.Call{Session: "a"}).WithProgress(func(e op.Event) { told = append(told, e) })
	if _, err := b.Build(t.Context(), &c, b.tally(b.phone())); err != nil || len(told) == 0 || told[0].Message == "" {
		t.Errorf("got %+v, %v, want progress", told, err)
	}
}

func TestSchemesAndSettingsComeFromProject(t *testing.T) {
	b := open(t)
	p := b.project("app", "Tally")
	list, err := b.Schemes(t.Context(), b.call, p)
	if err != nil || !slices.Equal(list.Schemes, []string{"Tally"}) {
		t.Errorf("got %+v, %v, want the scheme", list, err)
	}
	all, err := b.Settings(t.Context(), b.call, p, "")
	if err != nil {
		t.Fatal(err)
	}
	some, err := b.Settings(t.Context(), b.call, p, "PRODUCT_NAME")
	if err != nil || len(some.Text(1000)) == 0 || len(some.Text(1000)) >= len(all.Text(100000)) {
		t.Errorf("got %v and\n%s\nwant only what fits", err, some.Text(1000))
	}
	p.Scheme = "Nothing"
	_, err = b.Settings(t.Context(), b.call, p, "")
	want(t, "a scheme that is not there", err, fault.SchemeNotFound)
}

func TestScaffoldWritesAProject(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := (builds.Projects{}).Scaffold(op.Path(dir), scaffold.IOS, scaffold.Options{Name: "New"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("got %v, want the folder", err)
	}
}
