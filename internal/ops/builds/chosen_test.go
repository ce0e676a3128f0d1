package builds_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/xcode/builder"
	"ios-agent/test/fakedevice"
	"ios-agent/test/workshop"
)

func TestProjectsAreDiscovered(t *testing.T) {
	b := open(t)
	root := b.Sample("app")
	other := filepath.Dir(root)
	found := func(in builds.DiscoverIn) builds.DiscoverOut {
		t.Helper()
		out, err := b.Discover(t.Context(), b.call, in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := found(builds.DiscoverIn{Root: op.Path(other), Depth: 3}); len(got.Projects) != 1 || got.Root != other || got.Outside {
		t.Errorf("got %+v, want the project", got)
	}
	if got := found(builds.DiscoverIn{Root: op.Path(other), Depth: 0}); len(got.Projects) != 0 {
		t.Errorf("got %+v, want none at the top", got)
	}
	b.call.Dir = other
	for below, outside := range map[string]bool{
		"app": false, root: false, ".": false, "..": true, "../x": true, "/": true, "app/../..": true, "..x": false,
	} {
		got, err := b.Discover(t.Context(), b.call, builds.DiscoverIn{Below: below, Depth: 3})
		if below == "..x" {
			want(t, below, err, fault.PathError)
			continue
		}
		if err != nil || got.Outside != outside || len(got.Projects) != 1 || got.Root != other {
			t.Errorf("%s: got %+v, %v, want the project, outside %v", below, got, err, outside)
		}
	}
	b.call.Dir = ""
	_, err := b.Discover(t.Context(), b.call, builds.DiscoverIn{})
	want(t, "a client that works in no folder", err, fault.PathError, "cannot search for projects: this client has no working folder",
		"name the folder with "+hint.Field("workspaceRoot"))
}

// choices calls test in a folder, with what a session chose, and gives what was chosen.
func (b *bench) choices(c op.Call, input string) (builds.Built, *fault.Fault) {
	b.T.Helper()
	e := b.By(c, "test", input)
	var out builds.Built
	if len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, &out); err != nil {
			b.T.Fatal(err)
		}
	}
	return out, e.Error
}

func TestTestFindsProjectSchemeAndSimulator(t *testing.T) {
	b := open(t)
	dir := b.Sample("app")
	var told []string
	c := (op.Call{Session: "a", Dir: dir, Env: simulated}).WithProgress(func(e op.Event) { told = append(told, e.Message) })
	out, f := b.choices(c, `{}`)
	lines := []string{"project: Tally.xcodeproj", "scheme: Tally, the only one", "simulator: iPhone 16 (" + b.Info.OS + "), which is booted"}
	if f != nil || !slices.Equal(out.Choices, lines) || out.UDID != b.Info.UDID {
		t.Errorf("got %q, %v, want %q", out.Choices, f, lines)
	}
	for _, line := range append([]string{"looking for the scheme"}, lines...) {
		if !slices.Contains(told, line) {
			t.Errorf("got the progress %q, want %q in it", told, line)
		}
	}
	out, f = b.choices(c, `{"projectPath":"`+filepath.Join(dir, "Tally.xcodeproj")+`","scheme":"Tally","simulatorId":"`+b.Info.UDID+`"}`)
	if f != nil || len(out.Choices) != 0 {
		t.Errorf("got %q, %v, want nothing chosen where all is named", out.Choices, f)
	}
	b.Ran("")
	_, f = b.choices(op.Call{Session: "a"}, `{}`)
	fakedevice.WantFault(t, "no folder", f, fault.ProjectNotFound, "the client's folder is unknown: give projectPath or workspacePath")
	_, f = b.choices(op.Call{Session: "a", Dir: t.TempDir()}, `{}`)
	fakedevice.WantFault(t, "no project", f, fault.ProjectNotFound)
	if ran := b.Ran("xcodebuild"); len(ran) != 0 {
		t.Errorf("got %q, want no tool asked without a project", ran)
	}
}

func TestTestUsesSessionSimulator(t *testing.T) {
	b := open(t)
	c := op.Call{Session: "a", Dir: b.Sample("app"), Env: simulated}
	const gone = "AAAA0000-1111-2222-3333-444444444444"
	b.Access.Sessions.Get("a").Use(session.Choice{UDID: gone, Name: "Old Phone"})
	_, f := b.choices(c, `{}`)
	fakedevice.WantFault(t, "a simulator that is gone", f, fault.DeviceNotFound,
		"Old Phone ("+gone+"), which this session chose, cannot be used")
	b.Access.Sessions.Get("a").Use(session.Choice{UDID: workshop.Physical, Name: "My Phone"})
	if out, f := b.choices(c, `{}`); f != nil || out.UDID != b.Info.UDID {
		t.Errorf("got %s, %v, want a simulator for a session that chose a phone", out.UDID, f)
	}
	b.Access.Sessions.Get("a").Use(session.Choice{UDID: b.Info.UDID, Name: b.Info.Name})
	if out, f := b.choices(c, `{}`); f != nil || !strings.HasSuffix(out.Choices[2], ", the session's device") {
		t.Errorf("got %q, %v, want the session's device", out.Choices, f)
	}
	other := op.Call{Session: "b", Dir: c.Dir, Env: simulated}
	if out, f := b.choices(other, `{}`); f != nil || out.UDID == b.Info.UDID {
		t.Errorf("got %s, %v, want a simulator that no other session has", out.UDID, f)
	}
}

func TestMacSchemeIsTestedOnThisMac(t *testing.T) {
	b := open(t)
	out, f := b.choices(op.Call{Session: "a", Dir: b.Sample("macos"), Env: simulated}, `{}`)
	if f != nil || out.UDID != "" || !strings.HasPrefix(out.Destination, "platform=macOS") ||
		out.Choices[len(out.Choices)-1] != "destination: this Mac, because the scheme does not build for simulators" || len(out.Choices) != 3 {
		t.Errorf("got %+v, %v, want this Mac", out, f)
	}
}

func TestTestFindsWorkspaceOrReportsItsSchemes(t *testing.T) {
	b := open(t)
	dir := b.Sample("workspace")
	found, err := filepath.Glob(filepath.Join(dir, "*.xcworkspace"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %q, %v, want a workspace", found, err)
	}
	e := b.By(op.Call{Session: "a", Dir: dir, Env: simulated}, "test", `{}`)
	var out builds.Built
	if len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, &out); err != nil {
			t.Fatal(err)
		}
		if out.Workspace != found[0] || out.Project != "" {
			t.Errorf("got the workspace %q and the project %q, want %s", out.Workspace, out.Project, found[0])
		}
		return
	}
	fakedevice.WantFault(t, "several schemes", e.Error, fault.SchemeAmbiguous, filepath.Base(found[0])+" has several schemes: ")
}

// simulated is the environment of a client that asks for simulated tests.
var simulated = map[string]string{builder.SimulateVariable: "simulate"}
