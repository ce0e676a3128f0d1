package ops

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/pool"
)

type apps struct{ desk }

func (a *apps) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "install_app", Also: []string{quern}, Groups: []string{"app"}, Verb: "install", Route: "POST /api/v1/device/app/install",
			Summary: "Install an app on the device; a device named with sim is booted first if it has to be",
			Hints:   op.Idempotent, Timeout: 10 * time.Minute, Long: true, Default: true,
			Next: []string{"launch_app"}, Examples: []string{`install ./Shop.app --sim "iPhone 16 Pro"`},
		}, a.install),
		op.New(op.Spec{
			Name: "launch_app", Also: []string{quern}, Groups: []string{"app"}, Verb: "launch", Route: "POST /api/v1/device/app/launch",
			Summary: "Launch an installed app; snapshots and taps go to it from then on",
			Hints:   op.Idempotent, Timeout: time.Minute, Default: true,
			Next: []string{"snapshot"}, Examples: []string{"launch com.iosagent.shop", "launch com.iosagent.shop --restart --args=-uitest"},
		}, a.launch),
		op.New(op.Spec{
			Name: "terminate_app", Also: []string{quern}, Groups: []string{"app"}, Verb: "terminate", Route: "POST /api/v1/device/app/terminate",
			Summary: "End a running app", Timeout: time.Minute,
			Examples: []string{"terminate com.iosagent.shop"},
		}, a.terminate),
	}
}

// InstallIn names an app folder.
type InstallIn struct {
	Target
	Path op.Path `json:"app_path" doc:"path of the .app folder" cli:"arg"`
}

// AppOut is an app and what became of it.
type AppOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`
	Bundle string `json:"bundle_id"`
	Path   string `json:"app_path,omitempty"`
	PID    int    `json:"pid,omitempty"`

	device string
}

// Text says it in a line.
func (o AppOut) Text() string {
	text := fmt.Sprintf("%s %s on %s", o.Status, o.Bundle, o.device)
	if o.PID > 0 {
		text += fmt.Sprintf(" (pid %d)", o.PID)
	}
	return text
}

func (a *apps) install(ctx context.Context, c *op.Call, in InstallIn) (AppOut, error) {
	out := AppOut{Status: "installed", Path: string(in.Path)}
	err := a.on(ctx, c, in.Target, &out, func(h *pool.Handle, d device.Apps) (err error) {
		if in.Sim != "" || in.UDID != "" {
			if err := bootIfAble(ctx, h); err != nil {
				return err
			}
		}
		out.Bundle, err = d.Install(ctx, string(in.Path))
		return err
	})
	return out, err
}

func bootIfAble(ctx context.Context, h *pool.Handle) error {
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return nil // a device without a power switch is on, or its driver will say what is wrong
	}
	return power.Boot(ctx)
}

// LaunchIn names an app and how to start it.
type LaunchIn struct {
	Target
	Bundle  string   `json:"bundle_id" doc:"the app's bundle id" cli:"arg"`
	Args    []string `json:"args,omitempty" doc:"arguments for the app"`
	Env     []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE"`
	Restart bool     `json:"restart,omitempty" doc:"end a running instance first"`
}

func (a *apps) launch(ctx context.Context, c *op.Call, in LaunchIn) (AppOut, error) {
	out := AppOut{Status: "launched", Bundle: in.Bundle}
	env, err := environment(c.Env, in.Env)
	if err != nil {
		return out, err
	}
	err = a.on(ctx, c, in.Target, &out, func(_ *pool.Handle, d device.Apps) (err error) {
		out.PID, err = d.Launch(ctx, in.Bundle, device.Launch{Args: in.Args, Env: env, Restart: in.Restart})
		return err
	})
	return out, err
}

// childPrefix marks the variables of a client's environment that simctl would hand to the app.
const childPrefix = "SIMCTL_CHILD_"

func environment(client map[string]string, given []string) (map[string]string, error) {
	env := map[string]string{}
	for name, value := range client {
		if app, ok := strings.CutPrefix(name, childPrefix); ok {
			env[app] = value
		}
	}
	asked, err := nameValues("launch_app", "env", given)
	maps.Copy(env, asked)
	return env, err
}

// TerminateIn names a running app.
type TerminateIn struct {
	Target
	Bundle string `json:"bundle_id" doc:"the app's bundle id" cli:"arg"`
}

func (a *apps) terminate(ctx context.Context, c *op.Call, in TerminateIn) (AppOut, error) {
	out := AppOut{Status: "terminated", Bundle: in.Bundle}
	err := a.on(ctx, c, in.Target, &out, func(_ *pool.Handle, d device.Apps) error {
		return d.Terminate(ctx, in.Bundle)
	})
	return out, err
}

// on does something with apps on the device that is meant, in its lane.
func (a *apps) on(ctx context.Context, c *op.Call, t Target, out *AppOut, do func(*pool.Handle, device.Apps) error) error {
	h, _, err := a.device(ctx, c, t)
	if err != nil {
		return err
	}
	d, err := device.As[device.Apps](h.Device)
	if err != nil {
		return err
	}
	out.UDID, out.device = h.Info().UDID, h.Info().Name
	return h.Lane.Do(ctx, func() error { return do(h, d) })
}
