package simctl

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func launchOptions() map[string]option {
	return map[string]option{
		"--terminate-running-process": flag, "--console": flag, "--console-pty": flag, "-w": flag, "--wait-for-debugger": flag,
		"--stdout": valued, "--stderr": valued,
	}
}

func launch(ctx context.Context, c *call) error {
	given, err := c.options(launchOptions())
	if err != nil {
		return err
	}
	d, bundle, err := c.deviceAnd()
	if err != nil {
		return err
	}
	has := func(name string) bool { _, ok := given[name]; return ok }
	o := world.LaunchOptions{Env: c.childEnv(), Args: c.Args, TerminateRunning: has("--terminate-running-process")}
	if o.Output, err = c.output(given); err != nil {
		return err
	}
	if c.happensTo(d, flaw.LaunchHang) {
		<-ctx.Done()
		return ctx.Err()
	}
	pid, err := c.world.Launch(ctx, d.UDID, bundle, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "%s: %d\n", bundle, pid)
	if has("--console") || has("--console-pty") {
		return c.console(ctx, d.UDID, bundle, pid, has("--console-pty"))
	}
	return nil
}

// output is the destination of the app's output; the real tool cannot also show it.
func (c *call) output(given map[string]string) (o world.Output, err error) {
	_, console := given["--console"]
	for name, to := range map[string]*string{"--stdout": &o.Stdout, "--stderr": &o.Stderr} {
		if file := given[name]; file != "" {
			*to = c.Path(file)
			if console {
				return o, errUsage
			}
		}
	}
	return o, nil
}

// console shows the app's output until the app ends. An interrupt ends the app. A terminal has one stream instead of two.
func (c *call) console(ctx context.Context, udid, bundle string, pid int, pty bool) error {
	errout := c.Stderr
	if pty {
		errout = c.Stdout
	}
	err := c.world.Attach(ctx, udid, pid, c.Stdout, errout)
	if ctx.Err() == nil {
		return err
	}
	_ = c.world.Terminate(context.WithoutCancel(ctx), udid, bundle) // the app may have ended by itself
	return nil
}

// childEnv is the environment for the app.
func (c *call) childEnv() map[string]string {
	env := map[string]string{}
	for key, value := range c.Env {
		if name, ok := strings.CutPrefix(key, "SIMCTL_CHILD_"); ok {
			env[name] = value
		}
	}
	return env
}
