// Package run offers the operations that combine several others. The operation run builds the app in the working folder, launches it on a
// device and shows it; proxy_launch and proxy_run also send the app's requests through the proxy. Run is the main type. It calls the
// packages of the single steps, and none of them may import it.
package run

import (
	"context"
	"path/filepath"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/choose"
)

// Run builds the app of a project, launches it on a device and shows its first screen.
type Run struct{ d Deps }

// Deps are the operation packages that a run calls.
type Deps struct {
	Builds  *builds.Builds
	Devices *devices.Devices
	Apps    *apps.Apps
	MacApps *apps.MacApps
	Screen  *screen.Screen
	Network *network.Network
}

// New makes the operations that build, launch and show an app.
func New(d Deps) *Run { return &Run{d} }

// Ops lists the operations that build, launch and show an app.
func (r *Run) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "run", Groups: []string{"app"}, Route: "POST /api/v1/run", Default: true, Long: true,
			Timeout: builds.BuildTimeout, Hints: op.Executes,
			Summary: "Build the app in the working folder, launch and show it",
			Help: "It searches the project in the working folder, above and below it. It chooses the scheme and the simulator unless the\n" +
				"call or a session default names them; the answer says which and why. A build that fails answers with what to fix.",
			Next: []string{"snapshot"}, Examples: []string{"run", `run --scheme Shop --simulator-name "iPhone 16 Pro"`, "run --proxy"},
			Complete: r.d.Builds.Completer(),
			Instead:  []op.Instead{{Flag: "proxy", Op: "proxy_run", Doc: "send the app's requests through the proxy, as proxy_run does"}},
		}, r.run),
		r.proxyLaunchOp(), r.proxyRunOp(),
	}
}

// runIn names what run would choose otherwise. It is in the default tool set, where each byte costs every model: more options of a build
// are in the session defaults and in build_run_sim.
type runIn struct {
	builds.FoundIn
	Args []string `json:"launchArgs,omitempty" doc:"for the app" private:"true"`
	Env  []string `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

func (r *Run) run(ctx context.Context, c *op.Call, given runIn) (builds.Built, error) {
	return r.found(ctx, c, given, nil)
}

func (r *Run) found(ctx context.Context, c *op.Call, given runIn, ready readying) (builds.Built, error) {
	found := given.In()
	in := In{Project: found.Project, How: found.How, On: found.On, LaunchHow: target.LaunchHow{Args: given.Args, Env: given.Env}, ready: ready}
	return r.d.Builds.Found(ctx, c, &in.Project, &in.On, func() (builds.Out, error) { return r.BuildAndRun(ctx, c, in) })
}

// In is a build and how to launch its app.
type In struct {
	builds.Project
	builds.How
	target.LaunchHow
	On choose.Destination

	ready readying // nil: the place needs no preparation
}

// readying prepares the place of a built app before the launch. Its notes go into the answer.
type readying func(on choose.Place) (notes []string, err error)

// BuildAndRun builds, installs and launches the app, and reads the first screen on a simulator. If a step fails, the answer keeps the
// results of the steps before it.
func (r *Run) BuildAndRun(ctx context.Context, c *op.Call, in In) (builds.Out, error) {
	out, on, err := r.d.Builds.BuildApp(ctx, c, builds.In{Project: in.Project, How: in.How, On: in.On})
	if err != nil || out.Fault() != nil {
		return out, err
	}
	if in.ready != nil {
		notes, err := in.ready(on)
		if err != nil {
			return out.Stopped("the app was built, and not launched", err), nil
		}
		out.Notes = append(out.Notes, notes...)
	}
	if on.Kind == choose.OnMac {
		return r.openOnMac(ctx, c, in.LaunchHow, out)
	}
	if err := r.launch(ctx, c, in.LaunchHow, on, &out); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return out.Stopped("the app was built, but it does not run", err), nil
	}
	if on.Kind == choose.OnSimulator {
		r.look(ctx, c, on.ID, &out)
	}
	return out, nil
}

// launch installs and launches the built app in one turn of the device's lane. It boots and shows a simulator if needed.
func (r *Run) launch(ctx context.Context, c *op.Call, how target.LaunchHow, on choose.Place, out *builds.Out) error {
	env, err := appref.Environment(c.Env, how.Env)
	if err != nil {
		return err
	}
	in := apps.InstallAndLaunchIn{Target: target.Target{UDID: on.ID}, Path: out.Artifacts.AppPath,
		How: device.Launch{Args: how.Args, Env: env, Restart: true}}
	if on.Kind == choose.OnSimulator {
		if in.How.Stdout, in.How.Stderr, err = r.d.Builds.AppLogs(in.Path); err != nil {
			return err
		}
		in.Booted = func() { _, _ = r.d.Devices.Show(ctx, on.ID) } // a machine without a screen has no window to show
	}
	app, err := r.d.Apps.InstallAndLaunch(ctx, c, in)
	out.Artifacts.BundleID = app.Bundle
	if err == nil {
		out.Artifacts.ProcessID, out.Artifacts.RuntimeLogPath, out.Artifacts.ErrorLogPath = app.PID, in.How.Stdout, in.How.Stderr
	}
	return err
}

// look adds the outline of the screen, or a note if it cannot read the screen: the app runs all the same.
func (r *Run) look(ctx context.Context, c *op.Call, udid string, out *builds.Out) {
	c.Progress("looking at the first screen")
	seen, err := r.d.Screen.Snapshot(ctx, c, screen.SnapshotIn{Target: target.Target{UDID: udid}})
	if err != nil {
		out.Notes = append(out.Notes, access.Unread(err))
		return
	}
	out.Outline = seen.Text()
}

func (r *Run) openOnMac(ctx context.Context, c *op.Call, how target.LaunchHow, out builds.Out) (builds.Out, error) {
	c.Progress("opening " + filepath.Base(out.Artifacts.AppPath))
	app, err := r.d.MacApps.Open(ctx, c, out.Artifacts.AppPath, how, true)
	if err != nil {
		return out.Stopped("the app was built, but it does not open", err), nil
	}
	out.Artifacts.BundleID = app.BundleID
	return out, nil
}
