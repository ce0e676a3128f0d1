package ops

import (
	"context"
	"path/filepath"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
)

// Run builds the app of a project, launches it on a device and shows its first screen.
type Run struct {
	builds  *Builds
	devices *Devices
	apps    *Apps
	macApps *MacApps
	screen  *Screen
}

// RunDeps are the rooms that a run goes through.
type RunDeps struct {
	Builds  *Builds
	Devices *Devices
	Apps    *Apps
	MacApps *MacApps
	Screen  *Screen
}

// NewRun makes the operation that builds, launches and shows an app.
func NewRun(d RunDeps) *Run { return &Run{d.Builds, d.Devices, d.Apps, d.MacApps, d.Screen} }

func (r *Run) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "run", Groups: []string{"app"}, Route: "POST /api/v1/run", Default: true, Long: true, Timeout: buildTimeout, Hints: op.Executes,
			Summary: "Build the app in the working folder, launch it on a simulator and show its first screen",
			Help: "The project is looked for in the working folder, above and below it. The scheme and the simulator are chosen, unless the\n" +
				"call or a session default names them; the answer says which and why. A build that fails answers with what to fix.",
			Next: []string{"snapshot", "tap_element"}, Examples: []string{"run", `run --scheme Shop --simulator-name "iPhone 16 Pro"`},
			Complete: r.builds.completer(),
		}, r.run),
	}
}

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
		Project:   Project{Project: in.Project, Workspace: in.Workspace, Scheme: in.Scheme, Configuration: in.Configuration},
		BuildHow:  BuildHow{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs},
		LaunchHow: LaunchHow{Args: in.Args, Env: in.Env},
		On:        Destination{Kind: OnSimulator, Simulator: Simulator{ID: in.ID, Name: in.Name, Newest: true}},
	}
}

func (r *Run) run(ctx context.Context, c *op.Call, given runIn) (Built, error) {
	in := given.in()
	return r.builds.found(ctx, c, &in.Project, &in.On, func() (BuildOut, error) { return r.BuildAndRun(ctx, c, in) })
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
func (r *Run) BuildAndRun(ctx context.Context, c *op.Call, in BuildAndRunIn) (BuildOut, error) {
	out, on, err := r.builds.BuildApp(ctx, c, BuildIn{Project: in.Project, BuildHow: in.BuildHow, On: in.On})
	if err != nil || out.Fault() != nil {
		return out, err
	}
	if on.Kind == OnMac {
		return r.openOnMac(ctx, c, in.LaunchHow, out)
	}
	if err := r.launch(ctx, c, in.LaunchHow, on, &out); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return out.stopped("the app was built, but it does not run", err), nil
	}
	if on.Kind == OnSimulator {
		r.look(ctx, c, on.ID, &out)
	}
	return out, nil
}

// launch installs and launches the built app in one turn of the device's lane; a simulator is booted and shown if need be.
func (r *Run) launch(ctx context.Context, c *op.Call, how LaunchHow, on Place, out *BuildOut) error {
	env, err := environment(c.Env, how.Env)
	if err != nil {
		return err
	}
	in := InstallAndLaunchIn{Target: Target{UDID: on.ID}, Path: out.Artifacts.AppPath,
		How: device.Launch{Args: how.Args, Env: env, Restart: true}}
	if on.Kind == OnSimulator {
		if in.How.Stdout, in.How.Stderr, err = r.builds.AppLogs(in.Path); err != nil {
			return err
		}
		in.Booted = func() { _, _ = r.devices.Show(ctx, on.ID) } // a machine without a screen has no window to show
	}
	app, err := r.apps.InstallAndLaunch(ctx, c, in)
	out.Artifacts.BundleID = app.Bundle
	if err == nil {
		out.Artifacts.ProcessID, out.Artifacts.RuntimeLogPath, out.Artifacts.ErrorLogPath = app.PID, in.How.Stdout, in.How.Stderr
	}
	return err
}

// look adds the outline of the screen. An app that runs but cannot be looked at still runs.
func (r *Run) look(ctx context.Context, c *op.Call, udid string, out *BuildOut) {
	c.Progress("looking at the first screen")
	seen, err := r.screen.Snapshot(ctx, c, SnapshotIn{Target: Target{UDID: udid}})
	if err != nil {
		out.Notes = append(out.Notes, unread(err))
		return
	}
	out.Outline = seen.Text()
}

func (r *Run) openOnMac(ctx context.Context, c *op.Call, how LaunchHow, out BuildOut) (BuildOut, error) {
	c.Progress("opening " + filepath.Base(out.Artifacts.AppPath))
	app, err := r.macApps.open(ctx, c, out.Artifacts.AppPath, how, true)
	if err != nil {
		return out.stopped("the app was built, but it does not open", err), nil
	}
	out.Artifacts.BundleID = app.BundleID
	return out, nil
}
