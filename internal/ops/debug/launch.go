package debug

import (
	"context"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/debugger"
)

// LaunchIn names a program or an app to launch.
type LaunchIn struct {
	target.Target
	Command op.Argv  `json:"command,omitempty" doc:"a program on this machine and its arguments" cli:"arg" private:"true"`
	Cwd     op.Path  `json:"cwd,omitempty" doc:"working folder; default: yours"`
	Env     []string `json:"env,omitempty" doc:"environment, as NAME=VALUE" pairs:"true" private:"true"`
	Bundle  string   `json:"bundle_id,omitempty" doc:"an app on a simulator"`
	Args    []string `json:"args,omitempty" doc:"for the app" private:"true"`
}

// LaunchOut is a program that is paused at its start.
type LaunchOut struct {
	debugger.Status
	Printed string `json:"sessionId,omitempty"` // the session with the program's output
}

// Text is the state, and the session with the output.
func (o LaunchOut) Text() string {
	if o.Printed == "" {
		return withWay(o.Status)
	}
	return withWay(o.Status) + "; its output is in the session " + o.Printed
}

// Launch launches a program or an app under a debugger.
func (d *Debug) Launch(ctx context.Context, c *op.Call, in LaunchIn) (out LaunchOut, err error) {
	if in.Bundle != "" {
		out.Status, err = d.launchApp(ctx, c, in)
		return out, err
	}
	if len(in.Command) == 0 || in.Command[0] == "" {
		return out, fault.New(fault.InvalidInput, "debug_launch: give command, or bundle_id").With("field", "command")
	}
	c.Outside = true // the program is real even with Virtual Xcode
	one, err := d.start(ctx, c, in)
	if err != nil {
		return out, err
	}
	how := d.way(c)
	how.PID, how.AtStart = one.PID, true
	if out.Status, err = d.access.Debuggers.Attach(ctx, how); err != nil {
		_, _ = d.access.Programs.Stop(context.WithoutCancel(ctx), one) // without a debugger, it would stay paused
		return out, err
	}
	out.Printed = one.ID
	return out, nil
}

// start starts a program, paused at its start, on the caller's desktop.
func (d *Debug) start(ctx context.Context, c *op.Call, in LaunchIn) (*process.Session, error) {
	launch := process.Launch{Owner: c.Session, Argv: in.Command, Dir: string(in.Cwd), Halted: true}
	if launch.Dir == "" {
		launch.Dir = c.Dir
	}
	environ := d.access.Environ(c)
	for _, name := range desktop.Env() {
		if value := environ(name); value != "" {
			launch.Env = append(launch.Env, name+"="+value)
		}
	}
	launch.Env = append(launch.Env, in.Env...)
	one, err := d.access.Programs.Launch(ctx, launch)
	if fault.Is(err, fault.AppLaunchFailed) && len(in.Command) == 1 && appref.IsBundle(in.Command[0]) {
		return nil, fault.New(fault.AppLaunchFailed, "%w", err).With("field", "command").
			WithHint("if it is an app of a simulator: %s", hint.Do("debug_launch", "bundle_id", in.Command[0]))
	}
	return one, err
}

// launchApp launches an app of a simulator, paused at its start, and attaches the debugger.
func (d *Debug) launchApp(ctx context.Context, c *op.Call, in LaunchIn) (state debugger.Status, err error) {
	if err := appref.CheckApp(in.Bundle); err != nil {
		return state, err
	}
	env, err := op.NameValues("env", in.Env)
	if err != nil {
		return state, err
	}
	h, _, err := d.access.Resolve(ctx, c, pool.Criteria{UDID: in.UDID, Name: in.Sim})
	if err != nil {
		return state, err
	}
	how := d.way(c)
	how.Owner.UDID = h.Info().UDID
	err = d.access.Away(ctx, h, func() error {
		if err := simulated(h); err != nil {
			return err
		}
		bundle, err := appref.BundleOf(ctx, h, in.Bundle)
		if err == nil {
			_, _, err = appref.Installed(ctx, h, bundle)
		}
		if err == nil {
			err = d.compiled(bundle)
		}
		if err != nil {
			return err
		}
		apps, err := device.As[device.Apps](h.Device)
		if err != nil {
			return err
		}
		launch := device.Launch{Args: in.Args, Env: env, Restart: true, Halted: true}
		launched := d.access.Listen(c, h, bundle, &launch)
		how.PID, err = apps.Launch(ctx, bundle, launch)
		if launched(how.PID, err); err != nil {
			return err
		}
		how.AtStart = true
		if state, err = d.access.Debuggers.Attach(ctx, how); err != nil {
			_ = apps.Terminate(context.WithoutCancel(ctx), bundle) // without a debugger, it would stay paused
		}
		return err
	})
	return state, err
}

// simulated returns a fault if the apps of a device are not processes of this machine.
func simulated(h *pool.Handle) error {
	if h.Info().Type == "simulator" {
		return nil
	}
	return fault.New(fault.Unsupported, "%s is a physical device: its processes are not on this machine", h.Info().Name).
		WithHint("debug the app on a simulator, or with Xcode")
}

// compiled returns a fault if the apps of simulators have no machine code.
func (d *Debug) compiled(bundle string) error {
	if !d.access.Debuggers.Virtual() {
		return nil
	}
	return fault.New(fault.Unsupported, "apps of Virtual Xcode have no machine code: %s cannot be debugged", bundle).
		WithHint("debug a real process of this machine: %s, or %s", hint.Do("debug_attach", "pid", "X"),
			hint.Do("debug_launch", "command", []string{"PROGRAM"}))
}
