package ops

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

func (b *Builds) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "run", Groups: []string{"app"}, Route: "POST /api/v1/run", Default: true, Long: true, Timeout: buildTimeout, Hints: op.Executes,
			Summary: "Build the app in the working folder, launch it on a simulator and show its first screen",
			Help: "The project is looked for in the working folder, above and below it. The scheme and the simulator are chosen, unless the\n" +
				"call or a session default names them; the answer says which and why. A build that fails answers with what to fix.",
			Next: []string{"snapshot", "tap_element"}, Examples: []string{"run", `run --scheme Shop --simulator-name "iPhone 16 Pro"`},
			Complete: b.defaults.Completer(Completion{CallOnly: []string{"platform"}}),
		}, b.run),
	}
}

// buildTimeout is for a whole build or test run. A large project's first build takes hours.
const buildTimeout = 6 * time.Hour

// runIn may name what would be chosen otherwise. It is in the default tool set, where every word costs every model: further
// options of a build are in session defaults and in build_run_sim.
type runIn struct {
	Project       op.Path  `json:"projectPath,omitempty" doc:"the .xcodeproj"`
	Workspace     op.Path  `json:"workspacePath,omitempty" doc:"or the .xcworkspace"`
	Scheme        string   `json:"scheme,omitempty" doc:"the scheme"`
	Configuration string   `json:"configuration,omitempty" doc:"else Debug"`
	ID            string   `json:"simulatorId,omitempty" doc:"the simulator's udid"`
	Name          string   `json:"simulatorName,omitempty" doc:"or its name"`
	DerivedData   op.Path  `json:"derivedDataPath,omitempty" doc:"else a folder of our own"`
	ExtraArgs     []string `json:"extraArgs,omitempty" doc:"for xcodebuild"`
	Args          []string `json:"launchArgs,omitempty" doc:"for the app" private:"true"`
	Env           []string `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

func (in runIn) in() BuildAndRunIn {
	return BuildAndRunIn{
		Project:   Project{in.Project, in.Workspace, in.Scheme, in.Configuration},
		BuildHow:  BuildHow{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs},
		LaunchHow: LaunchHow{in.Args, in.Env},
		On:        Destination{Kind: OnSimulator, Simulator: Simulator{ID: in.ID, Name: in.Name, Newest: true}},
	}
}

func (b *Builds) run(ctx context.Context, c *op.Call, given runIn) (Built, error) {
	in := given.in()
	return b.found(ctx, c, &in.Project, &in.On, func() (BuildOut, error) { return b.BuildAndRun(ctx, c, in) })
}

// found does something with a project after it has chosen what the call did not name, and on this Mac where the scheme builds for
// nothing else. The answer says what was chosen.
func (b *Builds) found(ctx context.Context, c *op.Call, project *Project, on *Destination, do func() (BuildOut, error)) (Built, error) {
	said, err := b.choose(ctx, c, project, &on.Simulator)
	if err != nil {
		return Built{}, err
	}
	out, err := do()
	if onlyMac(err) {
		said = said.instead("destination: this Mac, because the scheme does not build for simulators")
		c.Device, *on = nil, Destination{Kind: OnMac}
		out, err = do()
	}
	out.Request.Choices = said
	return inCore(out, err)
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
		return out.stopped("the app was built, but it cannot be found", err), nil
	}
	out.Artifacts.AppPath = app.Path
	if on.kind == OnMac {
		return b.openOnMac(ctx, c, in.LaunchHow, out)
	}
	if err := b.launch(ctx, c, in.LaunchHow, on, &out); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return out.stopped("the app was built, but it does not run", err), nil
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
		c.App = out.Artifacts.BundleID
		launched := b.listen(c, h, out.Artifacts.BundleID, &start)
		out.Artifacts.ProcessID, err = d.Launch(ctx, out.Artifacts.BundleID, start)
		launched(out.Artifacts.ProcessID, err)
		return err
	})
	if err == nil {
		b.use(c, Target{UDID: on.ID}, app.UDID)
		out.Artifacts.RuntimeLogPath, out.Artifacts.ErrorLogPath = start.Stdout, start.Stderr
	}
	return err
}

// look adds the outline of the screen. An app that runs but cannot be looked at still runs.
func (b *Builds) look(ctx context.Context, c *op.Call, udid string, out *BuildOut) {
	c.Progress("looking at the first screen")
	seen, err := b.screen.Snapshot(ctx, c, SnapshotIn{Target: Target{UDID: udid}})
	if err != nil {
		out.Notes = append(out.Notes, unread(err))
		return
	}
	out.Outline = seen.Text()
}

func (b *Builds) openOnMac(ctx context.Context, c *op.Call, how LaunchHow, out BuildOut) (BuildOut, error) {
	c.Progress("opening " + filepath.Base(out.Artifacts.AppPath))
	app, err := b.macApps.open(ctx, c, out.Artifacts.AppPath, how, true)
	if err != nil {
		return out.stopped("the app was built, but it does not open", err), nil
	}
	out.Artifacts.BundleID = app.BundleID
	return out, nil
}

// onlyMac reports whether a build was refused because its scheme builds for Macs alone.
func onlyMac(err error) bool {
	var none *build.DestinationError
	return errors.As(err, &none) && none.MacOnly()
}
