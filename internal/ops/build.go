package ops

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
	"ios-agent/internal/xcode/testrun"
)

// Builds builds, tests and inspects Xcode projects, and runs what was built.
type Builds struct {
	desk
	engine   *build.Engine
	tests    *testrun.Runs
	devices  *Devices
	apps     *Apps
	screen   *Screen
	macApps  *MacApps
	defaults *Defaults
}

// Project says what is built: a project or a workspace, a scheme, a configuration.
type Project struct {
	Project, Workspace    op.Path
	Scheme, Configuration string
}

// BuildHow says how it is built.
type BuildHow struct {
	DerivedData op.Path
	ExtraArgs   []string
	NoWarnings  bool // in the answer
}

// The kinds of destinations, as answers call them.
const (
	OnSimulator = "simulator"
	OnDevice    = "device"
	OnMac       = "macos"
)

// Destination says what a build is for, or what its tests run on.
type Destination struct {
	Kind      string
	Simulator Simulator
	Device    string // a physical device, by any of its ids; empty: any
	Platform  string // empty: that of the simulator's runtime, else iOS
	Arch      string // of a Mac
}

// BuildIn is a build.
type BuildIn struct {
	Project
	BuildHow
	On         Destination
	ForTesting bool
	Products   op.Path // of a build for testing: where its products go
}

// BuildOut is what came of a build, and of what followed it.
type BuildOut struct {
	build.Report
	Screen string   `json:"screen,omitempty"` // the outline of the first screen
	Notes  []string `json:"notes,omitempty"`

	fault *fault.Fault
}

// Text is what a reader needs to go on.
func (o BuildOut) Text() string {
	text := o.Report.Text()
	for _, n := range o.Notes {
		text += "\nnote: " + n
	}
	if o.Screen != "" {
		text += "\n" + o.Screen
	}
	return text
}

// Fault is the build's own, or that of the step after it that failed.
func (o BuildOut) Fault() *fault.Fault {
	if o.fault != nil {
		return o.fault
	}
	return o.Report.Fault()
}

// stopped notes a step after the build that failed.
func (o BuildOut) stopped(what string, err error) BuildOut {
	o.fault = fault.From(err).Within(what)
	return o
}

// Build builds.
func (b *Builds) Build(ctx context.Context, c *op.Call, in BuildIn) (BuildOut, error) {
	on, err := b.destination(ctx, c, in.On)
	if err != nil {
		return BuildOut{}, err
	}
	r := b.request(c, build.Build, in.Project, in.BuildHow)
	if in.ForTesting {
		r.Action, r.Products = build.BuildForTesting, string(in.Products)
	}
	r.Destination = on.Destination
	return b.do(ctx, c, r, on, in.NoWarnings)
}

// Clean removes what building a project left.
func (b *Builds) Clean(ctx context.Context, c *op.Call, in BuildIn) (BuildOut, error) {
	r := b.request(c, build.Clean, in.Project, in.BuildHow)
	r.Destination = build.Destination{Platform: in.On.Platform}
	return b.do(ctx, c, r, destination{}, in.NoWarnings)
}

// AppPathOut is where a scheme's app is.
type AppPathOut struct {
	Path     string
	BundleID string
	Target   string
	Exists   bool // it was built
}

// AppPath tells where the app of a build is.
func (b *Builds) AppPath(ctx context.Context, c *op.Call, in BuildIn) (AppPathOut, error) {
	on, err := b.destination(ctx, c, in.On)
	if err != nil {
		return AppPathOut{}, err
	}
	r := b.request(c, build.Build, in.Project, in.BuildHow)
	r.Destination = on.Destination
	app, err := b.engine.App(ctx, r, in.On.Kind != OnMac || in.On.Arch != "")
	if err != nil {
		return AppPathOut{}, err
	}
	_, missing := os.Stat(app.Path)
	return AppPathOut{Path: app.Path, BundleID: app.BundleID, Target: app.Target, Exists: missing == nil}, nil
}

// request makes the engine's request of the common inputs.
func (b *Builds) request(c *op.Call, a build.Action, p Project, h BuildHow) build.Request {
	return build.Request{
		Action: a, Project: string(p.Project), Workspace: string(p.Workspace), Scheme: p.Scheme, Configuration: p.Configuration,
		DerivedData: string(h.DerivedData), ExtraArgs: h.ExtraArgs, Env: toolEnv(c),
	}
}

// toolEnv is what of a client's environment Apple's tools see.
func toolEnv(c *op.Call) map[string]string {
	env := maps.Clone(c.Env)
	maps.DeleteFunc(env, func(name, _ string) bool { return name != "DEVELOPER_DIR" && name != "SSH_AUTH_SOCK" })
	return env
}

// do runs a request and writes the answer.
func (b *Builds) do(ctx context.Context, c *op.Call, r build.Request, on destination, quiet bool) (BuildOut, error) {
	out, err := b.engine.Do(ctx, r, progress(c))
	if err != nil {
		return BuildOut{}, err
	}
	return answer(c, out, on, quiet), nil
}

// progress hands the engine's progress to the caller.
func progress(c *op.Call) func(build.Progress) {
	return func(p build.Progress) { c.Report(op.Event{Message: p.Message, Done: p.Done, Total: p.Total}) }
}

func answer(c *op.Call, out *build.Outcome, on destination, quiet bool) BuildOut {
	dir := c.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		dir = real
	}
	report := out.Report(build.Style{Dir: dir, Target: on.kind, On: on.words, NoWarnings: quiet})
	report.Request.Sources = c.Sources
	switch on.kind {
	case OnSimulator:
		report.Artifacts.SimulatorID = on.ID
	case OnDevice:
		report.Artifacts.DeviceID = on.ID
	}
	return BuildOut{Report: *report}
}

// destination is what a build goes to, once it is found.
type destination struct {
	build.Destination
	kind    string
	unknown error // why the pool does not know the device; nil: it does, or the build needs none
	words   string
}

func (b *Builds) destination(ctx context.Context, c *op.Call, d Destination) (destination, error) {
	switch d.Kind {
	case OnSimulator:
		return b.simulator(ctx, c, d)
	case OnDevice:
		return b.physical(ctx, c, d)
	}
	return destination{
		Destination: build.Destination{Platform: build.MacOS, Arch: d.Arch}, kind: OnMac, words: strings.TrimSpace(build.MacOS + " " + d.Arch),
	}, nil
}

// simulator finds the simulator that is meant, and its platform: what the call says, else what its runtime is, else iOS.
// Where simctl does not answer, xcodebuild gets the name and decides.
func (b *Builds) simulator(ctx context.Context, c *op.Call, d Destination) (destination, error) {
	which := d.Simulator
	if which.ID == "" && looksLikeUDID(which.Name) {
		which.ID, which.Name = which.Name, ""
	}
	target, err := b.devices.Find(ctx, which)
	if err == nil {
		var info device.Info
		if info, err = b.info(ctx, c, target); err == nil {
			to := build.Destination{ID: info.UDID, Platform: cmp.Or(d.Platform, device.Platform(info.OS)+build.Simulated)}
			return destination{to, OnSimulator, nil, info.Name + " (" + info.OS + ")"}, nil
		}
	}
	if ctx.Err() != nil || isAnswer(err) {
		return destination{}, err
	}
	to := build.Destination{Platform: cmp.Or(d.Platform, build.IOS+build.Simulated), ID: which.ID, Name: which.Name, Latest: which.Newest}
	return destination{to, OnSimulator, err, cmp.Or(which.Name, which.ID)}, nil
}

// physical finds a physical device by any of its ids: xcodebuild knows only its udid. One that nobody lists is left to
// xcodebuild.
func (b *Builds) physical(ctx context.Context, c *op.Call, d Destination) (destination, error) {
	to := destination{Destination: build.Destination{Platform: cmp.Or(d.Platform, build.IOS), ID: d.Device}, kind: OnDevice, words: "device " + d.Device}
	if d.Device == "" {
		to.words = "any " + to.Platform + " device"
		return to, nil
	}
	info, err := b.info(ctx, c, Target{UDID: d.Device})
	if ctx.Err() != nil {
		return destination{}, err
	}
	if err != nil {
		to.unknown = err
		return to, nil
	}
	to.ID, to.words = info.UDID, "device "+info.UDID
	return to, nil
}

// info finds the one device that a target names, without opening it, and notes it on the answer.
func (b *Builds) info(ctx context.Context, c *op.Call, t Target) (device.Info, error) {
	h, err := b.pool.Resolve(ctx, pool.Criteria{UDID: t.UDID, Name: t.Sim})
	if err != nil {
		return device.Info{}, err
	}
	c.Device = &op.Device{UDID: h.Info().UDID, Name: h.Info().Name}
	return h.Info(), nil
}

// isAnswer tells a fault about what was asked for from tools that do not answer.
func isAnswer(err error) bool {
	return fault.Is(err, fault.DeviceNotFound) || fault.Is(err, fault.DeviceAmbiguous) || fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.NoDevice)
}

func looksLikeUDID(s string) bool {
	return len(s) == 36 && strings.Count(s, "-") == 4 && strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

// LaunchHow is how to launch what was built.
type LaunchHow struct {
	Args []string
	Env  []string // NAME=VALUE
}

// BuildAndRunIn is a build whose app is launched.
type BuildAndRunIn struct {
	Project
	BuildHow
	LaunchHow
	On Destination
}

// BuildAndRun builds, installs and launches, and looks at the first screen where there is one to see. What succeeded before
// a step that fails stays in the answer.
func (b *Builds) BuildAndRun(ctx context.Context, c *op.Call, in BuildAndRunIn) (BuildOut, error) {
	on, err := b.destination(ctx, c, in.On)
	if err != nil {
		return BuildOut{}, err
	}
	return b.runOn(ctx, c, in, on)
}

func (b *Builds) runOn(ctx context.Context, c *op.Call, in BuildAndRunIn, on destination) (BuildOut, error) {
	if on.unknown != nil { // before a build that may take hours
		return BuildOut{}, fault.From(on.unknown).Within("the app cannot run on " + on.words)
	}
	r := b.request(c, build.Build, in.Project, in.BuildHow)
	r.Destination = on.Destination
	if on.kind == OnDevice {
		r.Destination.ID = "" // one build runs on every device
	}
	out, err := b.do(ctx, c, r, on, in.NoWarnings)
	if err != nil || out.Fault() != nil {
		return out, err
	}
	app, err := b.engine.App(ctx, r, on.kind != OnMac || on.Arch != "")
	if err != nil {
		return out.stopped("the app was built, but where it is cannot be told", err), nil
	}
	out.Artifacts.AppPath = app.Path
	if on.kind == OnMac {
		return b.openOnMac(ctx, c, in.LaunchHow, out)
	}
	if err := b.launch(ctx, c, in.LaunchHow, on, &out); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return out.stopped("the app was built, but does not run", err), nil
	}
	if on.kind == OnSimulator {
		b.look(ctx, c, on.ID, &out)
	}
	return out, nil
}

// launch installs and launches the built app in the device's lane; a simulator is booted and shown if need be.
func (b *Builds) launch(ctx context.Context, c *op.Call, how LaunchHow, on destination, out *BuildOut) error {
	env, err := environment(c.Env, how.Env)
	if err != nil {
		return err
	}
	start := device.Launch{Args: how.Args, Env: env, Restart: true}
	if on.kind == OnSimulator {
		logs, err := b.engine.NewAppLogs(out.Artifacts.AppPath)
		if err != nil {
			return err
		}
		start.Stdout, start.Stderr = logs.Stdout, logs.Stderr
	}
	var app AppOut
	err = b.apps.on(ctx, c, Target{UDID: on.ID}, &app, func(h *pool.Handle, d device.Apps) error {
		c.Progress("booting " + h.Info().Name)
		if err := bootIfAble(ctx, h); err != nil {
			return err
		}
		if on.kind == OnSimulator {
			_, _ = b.devices.Show(ctx, on.ID) // a machine without a screen has no window to show
		}
		c.Progress("installing " + filepath.Base(out.Artifacts.AppPath))
		if out.Artifacts.BundleID, err = d.Install(ctx, out.Artifacts.AppPath); err != nil {
			return err
		}
		c.Progress("launching " + out.Artifacts.BundleID)
		out.Artifacts.ProcessID, err = d.Launch(ctx, out.Artifacts.BundleID, start)
		return err
	})
	if err == nil {
		out.Artifacts.RuntimeLogPath, out.Artifacts.ErrorLogPath = start.Stdout, start.Stderr
	}
	return err
}

// look adds the outline of the screen. An app that runs but cannot be looked at still runs.
func (b *Builds) look(ctx context.Context, c *op.Call, udid string, out *BuildOut) {
	c.Progress("looking at the first screen")
	seen, err := b.screen.Snapshot(ctx, c, SnapshotIn{Target: Target{UDID: udid}})
	if err != nil {
		out.Notes = append(out.Notes, "the screen could not be read: "+err.Error())
		return
	}
	out.Screen = seen.Text()
}

func (b *Builds) openOnMac(ctx context.Context, c *op.Call, how LaunchHow, out BuildOut) (BuildOut, error) {
	c.Progress("opening " + filepath.Base(out.Artifacts.AppPath))
	app, err := b.macApps.open(ctx, out.Artifacts.AppPath, how, true)
	if err != nil {
		return out.stopped("the app was built, but does not open", err), nil
	}
	out.Artifacts.BundleID = app.BundleID
	return out, nil
}

// onlyMac reports whether a build was refused because its scheme builds for Macs alone.
func onlyMac(err error) bool {
	var none *build.DestinationError
	return errors.As(err, &none) && none.MacOnly()
}
