package simctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/world"
)

func install(ctx context.Context, c *call) error {
	d, name, err := c.deviceAnd()
	if err != nil {
		return err
	}
	if d.State != world.Booted { // the real tool looks at the device before it looks at the app
		_, err := c.world.Foreground(d.UDID)
		return err
	}
	path := c.path(name)
	b, err := openApp(path)
	if err != nil {
		return err
	}
	return c.world.Install(ctx, d.UDID, b, path)
}

const cannotInstall = "Simulator device failed to install the application."

// openApp reads an app, or says what is wrong with it as the real tool does where it knows the problem.
func openApp(path string) (*app.Bundle, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &world.Error{Domain: "NSPOSIXErrorDomain", Code: 2, Message: cannotInstall +
			"\nAn application bundle was not found at the provided path.\nProvide a valid path to the desired application bundle."}
	}
	b, err := app.Open(path)
	if errors.Is(err, app.ErrNoBundleID) {
		return nil, &world.Error{Domain: "IXErrorDomain", Code: 13, Message: cannotInstall + "\nMissing bundle ID.",
			Underlying: &world.Error{Domain: "IXErrorDomain", Code: 13, Message: "Failed to get bundle ID from " + path + "\nMissing bundle ID."}}
	}
	if err != nil {
		return nil, &world.Error{Domain: "VirtualXcodeErrorDomain", Code: 1, Message: cannotInstall + "\n" + err.Error()}
	}
	return b, nil
}

// launchOptions are the options of launch; those with false are not there yet.
func launchOptions() map[string]bool {
	return map[string]bool{
		"--terminate-running-process": true,
		"--console":                   false, "--console-pty": false, "-w": false, "--wait-for-debugger": false,
		"--stdout": false, "--stderr": false, "--arch": false,
	}
}

func launch(ctx context.Context, c *call) error {
	o := world.LaunchOptions{Env: c.childEnv()}
	for len(c.args) > 0 && strings.HasPrefix(c.args[0], "-") {
		name, _, _ := strings.Cut(c.args[0], "=")
		supported, known := launchOptions()[name]
		if !known {
			return errUsage
		}
		if !supported {
			return unsupported("launch " + name)
		}
		o.TerminateRunning = true // the only one there is
		c.args = c.args[1:]
	}
	d, bundle, err := c.deviceAnd()
	if err != nil {
		return err
	}
	o.Args = c.args
	pid, err := c.world.Launch(ctx, d.UDID, bundle, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %d\n", bundle, pid)
	return nil
}

// childEnv is the environment meant for the app.
func (c *call) childEnv() map[string]string {
	env := map[string]string{}
	for key, value := range c.env {
		if name, ok := strings.CutPrefix(key, "SIMCTL_CHILD_"); ok {
			env[name] = value
		}
	}
	return env
}

func terminate(ctx context.Context, c *call) error {
	d, bundle, err := c.deviceAnd()
	if err != nil {
		return err
	}
	return c.world.Terminate(ctx, d.UDID, bundle)
}
