package run_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/run"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/xcode/choose"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/test/fakedevice"
	"ios-agent/test/workshop"
)

// bench is the room over a workshop.
type bench struct {
	*workshop.Workshop
	*fakedevice.Room
	room *run.Run
}

func open(t *testing.T) *bench {
	t.Helper()
	b := &bench{Workshop: workshop.New(t)}
	mac := macapp.New(macapp.Options{Run: b.Driver.Host, Tools: b.Tools})
	b.room = run.New(run.Deps{
		Builds: builds.New(b.Deps), Devices: devices.New(devices.Deps{Access: b.Access, Viewer: mac}), Apps: apps.New(b.Access),
		MacApps: apps.NewMacApps(mac), Screen: screen.New(screen.Deps{Access: b.Access, Home: b.Dir, Now: workshop.Noon}),
	})
	b.Room = fakedevice.Open(t, b.room.Ops())
	return b
}

// in runs a project's app for a session that works in its folder.
func (b *bench) in(dir, input string, env map[string]string, progress func(op.Event)) op.Envelope {
	b.T.Helper()
	c := op.Call{Session: "a", Dir: dir, Env: env}
	if progress != nil {
		c = c.WithProgress(progress)
	}
	return b.By(c, "run", input)
}

func TestRunBuildsInstallsAndLaunchesApp(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	b.Ran("")
	var told []string
	e := b.in(dir, `{}`, nil, func(e op.Event) { told = append(told, e.Message) })
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	out := b.result(e)
	if out.Status != "succeeded" || out.BundleID != "com.example.tally" || out.PID == 0 || out.UDID != b.Info.UDID ||
		filepath.Base(out.AppPath) != "Tally.app" || !strings.Contains(out.Outline, "button") {
		t.Errorf("got %+v, want the app built, running and seen", out)
	}
	for _, file := range []string{out.Stdout, out.Stderr, out.Log} {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("got %v, want a file for what the app and the build print", err)
		}
	}
	want := []string{"project: Tally.xcodeproj", "scheme: Tally, the only one", "simulator: iPhone 16 (" + b.Info.OS + "), which is booted"}
	if !slices.Equal(out.Choices, want) {
		t.Errorf("got the choices %q, want %q", out.Choices, want)
	}
	for _, line := range append(want, "looking at the first screen") {
		if !slices.Contains(told, line) {
			t.Errorf("got the progress %q, want %q in it", told, line)
		}
	}
	if e.Meta.Device == nil || e.Meta.Device.UDID != b.Info.UDID {
		t.Errorf("got the device %+v, want the phone", e.Meta.Device)
	}
	if ran := strings.Join(b.Ran("xcrun"), "\n"); !strings.Contains(ran, "simctl install "+b.Info.UDID+" "+out.AppPath) ||
		strings.Index(ran, "simctl install ") > strings.Index(ran, "simctl launch ") {
		t.Errorf("got\n%s\nwant the app installed, then launched", ran)
	}
}

func (b *bench) result(e op.Envelope) (out builds.Built) {
	b.T.Helper()
	if err := json.Unmarshal(e.Result, &out); err != nil {
		b.T.Fatalf("%v: %s", err, e.Result)
	}
	return out
}

func TestRunPassesArgumentsAndVariables(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	env := map[string]string{"SIMCTL_CHILD_FROM": "client", "HOME": "/nowhere"}
	e := b.in(dir, `{"launchArgs":["-debug","1"],"env":["OWN=call"],"configuration":"Release","extraArgs":["-quiet"]}`, env, nil)
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	ran := b.Ran("")
	launched := slices.IndexFunc(ran, func(line string) bool { return strings.Contains(line, "simctl launch ") })
	if launched < 0 || !strings.HasSuffix(ran[launched], " com.example.tally -debug 1") {
		t.Errorf("got %q, want the arguments at the end of the launch", ran)
	}
	if out := b.result(e); out.Config != "Release" || !slices.Contains(out.Commands[0], "-quiet") {
		t.Errorf("got %s and %q, want the configuration and the argument of xcodebuild", out.Config, out.Commands)
	}
	e = b.in(dir, `{"env":["novalue"]}`, nil, nil)
	fakedevice.WantFault(t, "a variable without a value", e.Error, fault.InvalidInput, "env")
}

func TestRunBootsAndShowsASimulator(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	e := b.in(dir, `{"simulatorName":"iPhone 16 Pro"}`, nil, nil)
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	if out := b.result(e); out.UDID == b.Info.UDID || out.Outline == "" || len(out.Choices) != 2 {
		t.Errorf("got %s and %q, want the simulator that was named, which nobody chose", out.UDID, out.Choices)
	}
	if opened := b.Ran("open"); len(opened) != 1 || !strings.Contains(opened[0], "Simulator") {
		t.Errorf("got %q, want the simulator's window shown", opened)
	}
}

func TestRunLaunchesNothingAfterFailedBuild(t *testing.T) {
	b := open(t)
	dir := b.Sample("broken")
	b.Ran("")
	e := b.in(dir, `{}`, nil, nil)
	fakedevice.WantFault(t, "run", e.Error, fault.BuildFailed)
	if out := b.result(e); out.Status != "failed" || out.ErrorCount != 1 || out.AppPath != "" || out.PID != 0 {
		t.Errorf("got %+v, want the errors", out)
	}
	if ran := strings.Join(b.Ran("xcrun"), "\n"); strings.Contains(ran, "simctl install") {
		t.Errorf("got\n%s\nwant nothing installed", ran)
	}
}

func TestFailedLaunchReportsBuiltApp(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	b.Rig.Must(b.Service.AddFault(t.Context(), virtualxcode.Fault{Name: flaw.LaunchFails}))
	e := b.in(dir, `{}`, nil, nil)
	if e.Error == nil || !strings.HasPrefix(e.Error.Message, "the app was built, but it does not run: ") {
		t.Errorf("got %+v, want that it was built", e.Error)
	}
	if out := b.result(e); out.AppPath == "" || out.PID != 0 || out.Stdout != "" || out.Outline != "" {
		t.Errorf("got %+v, want the app, and nothing of a process", out)
	}
}

func TestRunNotesUnreadableScreen(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	b.Rig.Must(b.Service.AddFault(t.Context(), virtualxcode.Fault{Name: flaw.SnapshotFails}))
	e := b.in(dir, `{}`, nil, nil)
	out := b.result(e)
	if e.Error != nil || out.PID == 0 || out.Outline != "" || len(out.Notes) != 2 ||
		!strings.HasPrefix(out.Notes[1], "cannot read the screen: ") {
		t.Errorf("got %+v, %v, want the app running, and why it is not seen", out, e.Error)
	}
}

func TestRunOpensMacAppAfterBuild(t *testing.T) {
	b := open(t)
	dir := b.Sample("macos")
	var told []string
	e := b.in(dir, `{"launchArgs":["-x"],"env":["A=b"]}`, nil, func(e op.Event) { told = append(told, e.Message) })
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	out := b.result(e)
	if out.UDID != "" || filepath.Base(out.AppPath) != "Notes.app" || out.BundleID == "" || e.Meta.Device != nil {
		t.Errorf("got %+v on %+v, want the app of this Mac", out, e.Meta.Device)
	}
	if last := out.Choices[len(out.Choices)-1]; last != "destination: this Mac, because the scheme does not build for simulators" {
		t.Errorf("got the choices %q, want why it is this Mac", out.Choices)
	}
	if slices.ContainsFunc(out.Choices, func(line string) bool { return strings.HasPrefix(line, "simulator: ") }) ||
		!slices.Contains(told, "opening Notes.app") {
		t.Errorf("got the choices %q and the progress %q, want no simulator, and the app opened", out.Choices, told)
	}
	opened := b.Ran("open")
	if len(opened) != 1 || !strings.Contains(opened[0], out.AppPath) || !strings.HasSuffix(opened[0], "--args -x") ||
		!strings.Contains(opened[0], "A=b") {
		t.Errorf("got %q, want the app with its arguments and its environment", opened)
	}
	b.Opens = 1
	e = b.in(dir, `{}`, nil, nil)
	if e.Error == nil || !strings.HasPrefix(e.Error.Message, "the app was built, but it does not open: ") || b.result(e).AppPath == "" {
		t.Errorf("got %+v, want that it was built", e.Error)
	}
}

func TestRunOnPhysicalDeviceReadsNoScreen(t *testing.T) {
	b := open(t)
	project := filepath.Join(b.Sample("app"), "Tally.xcodeproj")
	c := &op.Call{Session: "a"}
	in := run.In{
		Project: builds.Project{Project: op.Path(project), Scheme: "Tally"},
		On:      choose.Destination{Kind: choose.OnDevice, Device: workshop.Physical},
	}
	out, err := b.room.BuildAndRun(t.Context(), c, in)
	if err != nil || out.Fault() == nil || !strings.HasPrefix(out.Fault().Message, "the app was built, but it does not run: ") ||
		out.Artifacts.RuntimeLogPath != "" || out.Artifacts.DeviceID != workshop.Physical {
		t.Errorf("got %+v, %v, want it built for the phone, which installs nothing here", out.Report, err)
	}
	in.On.Device = "none"
	_, err = b.room.BuildAndRun(t.Context(), c, in)
	if f := fault.From(err); err == nil || !strings.HasPrefix(f.Message, "the app cannot run on device none: ") {
		t.Errorf("got %v, want a phone that nobody knows refused", err)
	}
	if ran := b.Ran("xcodebuild"); slices.ContainsFunc(ran, func(line string) bool { return strings.Contains(line, "id=none") }) {
		t.Errorf("got %q, want it refused before a build", ran)
	}
}

func TestCancelledRunReturnsError(t *testing.T) {
	b := open(t)
	project := filepath.Join(b.Sample("app"), "Tally.xcodeproj")
	over, cancel := context.WithCancel(t.Context())
	c := (op.Call{Session: "a"}).WithProgress(func(e op.Event) {
		if strings.HasPrefix(e.Message, "installing ") {
			cancel()
		}
	})
	_, err := b.room.BuildAndRun(over, &c, run.In{
		Project: builds.Project{Project: op.Path(project), Scheme: "Tally"},
		On:      choose.Destination{Kind: choose.OnSimulator, Simulator: target.Simulator{ID: b.Info.UDID}},
	})
	if err == nil || over.Err() == nil {
		t.Errorf("got %v, want the call's own end", err)
	}
}

func TestRunUsesSessionSimulator(t *testing.T) {
	b := open(t)
	all, err := b.Driver.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pro := all[slices.IndexFunc(all, func(i device.Info) bool { return i.Name == "iPhone 16 Pro" })]
	b.Access.Sessions.Get("a").Use(session.Choice{UDID: pro.UDID, Name: pro.Name})
	e := b.in(b.Sample("app"), `{}`, nil, nil)
	if out := b.result(e); e.Error != nil || out.UDID != pro.UDID || !strings.HasSuffix(out.Choices[2], ", the session's device") {
		t.Errorf("got %s, %q, %v, want the session's device", out.UDID, out.Choices, e.Error)
	}
}
