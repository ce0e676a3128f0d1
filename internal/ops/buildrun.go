package ops

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/apple/devicectl"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// LaunchHowIn is how to launch what was built.
type LaunchHowIn struct {
	Args []string `json:"launchArgs,omitempty" doc:"arguments for the app"`
	Env  []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true"`
}

// BuildRunSimIn says what to build and run on which simulator.
type BuildRunSimIn struct {
	SchemeIn
	SimIn
	Platform string `json:"platform,omitempty" doc:"the simulator's platform; found from its runtime if absent" enum:"iOS Simulator,watchOS Simulator,tvOS Simulator,visionOS Simulator"`
	HowIn
	LaunchHowIn
}

func (b *builder) buildRunSim(ctx context.Context, c *op.Call, in BuildRunSimIn) (out BuildOut, err error) {
	if in.SimIn, err = in.spelled(); err != nil {
		return out, err
	}
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[BuildRunSimIn](true, needsScheme, needsContainer, needsSimulator))
	if err != nil {
		return out, err
	}
	sim, err := b.simulator(ctx, c, in.SimIn, in.Platform)
	if err != nil {
		return out, err
	}
	return b.runOnSim(ctx, c, in, sim, m)
}

// runOnSim builds, installs, launches and looks. What succeeded before a step that fails stays in the answer.
func (b *builder) runOnSim(ctx context.Context, c *op.Call, in BuildRunSimIn, sim simulator, m defaults.Merged) (BuildOut, error) {
	if sim.info == nil {
		return BuildOut{}, fault.New(fault.DeviceNotFound, "the simulator %s cannot be found: simctl does not answer", sim.words)
	}
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = sim.Destination
	out, err := b.do(ctx, c, r, b.style(c, forSimulator, sim.words, isSet(in.NoWarnings)), m)
	if err != nil || out.Fault() != nil {
		return out, err
	}
	out.Artifacts.SimulatorID = sim.ID
	app, err := b.engine.App(ctx, r, true)
	if err != nil {
		return out.stopped("the app was built, but where it is cannot be told", err), nil
	}
	out.Artifacts.AppPath = app.Path
	if err := b.launchOnSim(ctx, c, in.LaunchHowIn, sim.ID, &out); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return out.stopped("the app was built, but does not run", err), nil
	}
	b.look(ctx, c, sim.ID, &out)
	out.NextSteps = []string{nextCall("stop_app_sim", "simulatorId", sim.ID, "bundleId", out.Artifacts.BundleID)}
	return out, nil
}

// stopped notes a step after the build that failed.
func (o BuildOut) stopped(what string, err error) BuildOut {
	o.fault = fault.During(what, err)
	return o
}

// launchOnSim installs and launches the built app in the device's lane; the simulator is booted and shown if need be.
func (b *builder) launchOnSim(ctx context.Context, c *op.Call, how LaunchHowIn, udid string, out *BuildOut) error {
	env, err := environment(c.Env, how.Env)
	if err != nil {
		return err
	}
	logs, err := b.engine.NewAppLogs(out.Artifacts.AppPath)
	if err != nil {
		return err
	}
	var app AppOut
	err = b.sims.apps.on(ctx, c, Target{UDID: udid}, &app, func(h *pool.Handle, d device.Apps) error {
		c.Progress("booting " + h.Info().Name)
		if err := bootIfAble(ctx, h); err != nil {
			return err
		}
		b.show(ctx, udid)
		c.Progress("installing " + filepath.Base(out.Artifacts.AppPath))
		if out.Artifacts.BundleID, err = d.Install(ctx, out.Artifacts.AppPath); err != nil {
			return err
		}
		c.Progress("launching " + out.Artifacts.BundleID)
		out.Artifacts.ProcessID, err = d.Launch(ctx, out.Artifacts.BundleID, device.Launch{Args: how.Args, Env: env, Restart: true, Stdout: logs.Stdout, Stderr: logs.Stderr})
		return err
	})
	if err == nil {
		out.Artifacts.RuntimeLogPath, out.Artifacts.ErrorLogPath = logs.Stdout, logs.Stderr
	}
	return err
}

// show brings the simulator's window to the front. Nothing depends on it: a machine without a screen has none.
func (b *builder) show(ctx context.Context, udid string) {
	_, _ = b.sims.open(ctx, &op.Call{}, OpenSimIn{ID: udid})
}

// look adds the outline of the screen. An app that runs but cannot be looked at still runs.
func (b *builder) look(ctx context.Context, c *op.Call, udid string, out *BuildOut) {
	c.Progress("looking at the first screen")
	seen, err := b.sims.screen.snapshot(ctx, c, SnapshotIn{Target: Target{UDID: udid}})
	if err != nil {
		out.Notes = append(out.Notes, "the screen could not be read: "+err.Error())
		return
	}
	out.Screen = seen.Text()
}

// BuildRunDeviceIn says what to build and run on which device.
type BuildRunDeviceIn struct {
	SchemeIn
	DevicePlatformIn
	DeviceIn
	HowIn
	LaunchHowIn
}

func (b *builder) buildRunDevice(ctx context.Context, c *op.Call, in BuildRunDeviceIn) (BuildOut, error) {
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[BuildRunDeviceIn](false, needsScheme, needsContainer, needsDevice))
	if err != nil {
		return BuildOut{}, err
	}
	env, err := nameValues("build_run_device", "env", in.Env)
	if err != nil {
		return BuildOut{}, err
	}
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: in.platform()}
	out, err := b.do(ctx, c, r, b.style(c, forDevice, deviceWords(r.Destination), isSet(in.NoWarnings)), m)
	if err != nil || out.Fault() != nil {
		return out, err
	}
	out.Artifacts.DeviceID = in.Device
	app, err := b.engine.App(ctx, r, true)
	if err != nil {
		return out.stopped("the app was built, but where it is cannot be told", err), nil
	}
	out.Artifacts.AppPath = app.Path
	if err := b.launchOnDevice(ctx, c, in.Device, in.Args, env, &out); err != nil {
		return out.stopped("the app was built, but does not run", err), nil
	}
	out.NextSteps = []string{nextCall("stop_app_device", "deviceId", in.Device, "processId", out.Artifacts.ProcessID)}
	return out, nil
}

func (b *builder) launchOnDevice(ctx context.Context, c *op.Call, id string, args []string, env map[string]string, out *BuildOut) error {
	bundle, err := bundleID(out.Artifacts.AppPath)
	if err != nil {
		return err
	}
	out.Artifacts.BundleID = bundle
	c.Progress("installing on " + id)
	if _, err := b.phones.tool().Install(ctx, id, out.Artifacts.AppPath); err != nil {
		return b.phones.explain(ctx, err, id, fault.AppInstallFailed, "installing "+out.Artifacts.AppPath)
	}
	c.Progress("launching " + bundle)
	out.Artifacts.ProcessID, err = b.phones.tool().Launch(ctx, id, bundle, devicectl.LaunchOptions{Args: args, Env: env})
	if err != nil {
		return b.phones.explain(ctx, err, id, fault.AppLaunchFailed, "launching "+bundle)
	}
	return nil
}

// BuildRunMacIn says what to build and run on this Mac.
type BuildRunMacIn struct {
	SchemeIn
	ArchIn
	HowIn
	LaunchHowIn
}

func (b *builder) buildRunMac(ctx context.Context, c *op.Call, in BuildRunMacIn) (BuildOut, error) {
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[BuildRunMacIn](false, needsScheme, needsContainer))
	if err != nil {
		return BuildOut{}, err
	}
	return b.runOnMac(ctx, c, in, m)
}

func (b *builder) runOnMac(ctx context.Context, c *op.Call, in BuildRunMacIn, m defaults.Merged) (BuildOut, error) {
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: build.MacOS, Arch: in.Arch}
	out, err := b.do(ctx, c, r, b.style(c, forMac, macWords(in.Arch), isSet(in.NoWarnings)), m)
	if err != nil || out.Fault() != nil {
		return out, err
	}
	app, err := b.engine.App(ctx, r, in.Arch != "")
	if err != nil {
		return out.stopped("the app was built, but where it is cannot be told", err), nil
	}
	out.Artifacts.AppPath = app.Path
	if err := b.openApp(ctx, c, in.LaunchHowIn, &out); err != nil {
		return out.stopped("the app was built, but does not open", err), nil
	}
	return out, nil
}

// openApp opens a Mac app as a double click would; its arguments and environment go with it.
func (b *builder) openApp(ctx context.Context, c *op.Call, how LaunchHowIn, out *BuildOut) error {
	info, err := appbundle.Read(out.Artifacts.AppPath)
	if err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	out.Artifacts.BundleID = info.ID
	var args []string
	for _, pair := range how.Env {
		if !strings.Contains(pair, "=") {
			return fault.New(fault.InvalidInput, "build_run_macos: env %q is not NAME=VALUE", pair).With("field", "env")
		}
		args = append(args, "--env", pair)
	}
	args = append(args, out.Artifacts.AppPath)
	if len(how.Args) > 0 {
		args = append(append(args, "--args"), how.Args...)
	}
	c.Progress("opening " + filepath.Base(out.Artifacts.AppPath))
	_, err = b.engine.Run.Run(ctx, host.Cmd{Name: b.engine.Tools.Tool("open"), Args: args, Timeout: time.Minute})
	return toolFault(err, fault.AppLaunchFailed, "opening "+out.Artifacts.AppPath)
}
