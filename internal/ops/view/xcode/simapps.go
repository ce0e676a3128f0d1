package xcode

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/target"
)

// simulatorApps are the tools for apps on simulators.
func (v views) simulatorApps() []op.Op {
	return []op.Op{
		sim(v, long(10*time.Minute, tool(installAppSim, "Install an app on a simulator", op.Idempotent|op.Executes, inSimulator),
			`install-app-sim --simulator-name "iPhone 16" --app-path ./Shop.app`), v.installOnSim),
		sim(v, taking(time.Minute, tool(launchAppSim, "Launch an installed app on a simulator", op.Idempotent, inSimulator),
			`launch-app-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`), v.launchOnSim, needsBundle),
		sim(v, taking(time.Minute, tool(stopAppSim, "End an app on a simulator", op.Idempotent, inSimulator),
			`stop-app-sim --simulator-name "iPhone 16" --bundle-id com.iosagent.shop`), v.stopOnSim, needsBundle),
	}
}

type installSimIn struct {
	simIn
	App op.Path `json:"appPath" doc:"path of the .app bundle"`
}

// simAppOut is the result of a call on an app of a simulator.
type simAppOut struct {
	simOut
	Bundle  string `json:"bundleId"`
	Process int    `json:"processId,omitempty"`
	App     string `json:"appPath,omitempty"`
}

func appOnSim(c *op.Call, done apps.AppOut) simAppOut {
	said := simOut{Message: done.Say(c.Device.Name), ID: done.UDID, Name: c.Device.Name}
	return simAppOut{simOut: said, Bundle: done.Bundle, Process: done.PID}
}

func (v views) installOnSim(ctx context.Context, c *op.Call, in installSimIn, on target.Target) (simAppOut, error) {
	done, err := v.core.Apps.Install(ctx, c, apps.InstallIn{Target: on, Path: in.App})
	if err != nil {
		return simAppOut{}, err
	}
	out := appOnSim(c, done)
	out.App = done.Path
	out.NextSteps = []string{nextCall(openSim), nextCall(launchAppSim, "simulatorId", done.UDID, "bundleId", done.Bundle)}
	return out, nil
}

type simAppIn struct {
	simIn
	Bundle string `json:"bundleId,omitempty" doc:"the app's bundle id"`
}

// launchIn are the launch options of an app.
type launchIn struct {
	argumentsIn
	Env []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

// argumentsIn are the arguments of an app, under the input's old and new name.
type argumentsIn struct {
	Args   []string `json:"args,omitempty" doc:"arguments for the app" private:"true"`
	Launch []string `json:"launchArgs,omitempty" doc:"new name of args" cli:"-" private:"true"`
}

func (in argumentsIn) arguments() ([]string, error) {
	if len(in.Args) > 0 && len(in.Launch) > 0 {
		return nil, fault.New(fault.InvalidInput, "args and launchArgs exclude each other").With("field", "launchArgs")
	}
	return append(in.Args, in.Launch...), nil
}

type launchSimIn struct {
	simAppIn
	launchIn
}

func (v views) launchOnSim(ctx context.Context, c *op.Call, in launchSimIn, on target.Target) (simAppOut, error) {
	args, err := in.arguments()
	if err != nil {
		return simAppOut{}, err
	}
	done, err := v.core.Apps.Launch(ctx, c, apps.LaunchIn{Target: on, Bundle: in.Bundle, Args: args, Env: in.Env})
	if fault.Is(err, fault.AppNotFound) {
		return simAppOut{}, fault.From(err).
			WithHint("install the app first: %s", nextCall(installAppSim, "simulatorId", c.Device.UDID, "appPath", "PATH_TO_YOUR_APP"))
	}
	if err != nil {
		return simAppOut{}, err
	}
	out := appOnSim(c, done)
	out.Message += fmt.Sprintf(" (process %d)", done.PID)
	out.NextSteps = []string{
		nextCall(openSim),
		nextCall(startSimLogCap, "simulatorId", done.UDID, "bundleId", done.Bundle),
		nextCall(stopAppSim, "simulatorId", done.UDID, "bundleId", done.Bundle),
	}
	return out, nil
}

func (v views) stopOnSim(ctx context.Context, c *op.Call, in simAppIn, on target.Target) (simAppOut, error) {
	done, err := v.core.Apps.Terminate(ctx, c, apps.TerminateIn{Target: on, Bundle: in.Bundle})
	if err != nil {
		return simAppOut{}, err
	}
	out := appOnSim(c, done)
	if done.Status == "terminated" {
		out.Message = "stopped " + done.Bundle + " on " + c.Device.Name
	}
	return out, nil
}
