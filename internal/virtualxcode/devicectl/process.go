package devicectl

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/world"
)

func launch(ctx context.Context, c *call) (object, error) {
	bundle, arguments := c.args.Words[0], c.args.Words[1:]
	env, err := c.childEnv()
	if err != nil {
		return nil, err
	}
	a, err := c.which(func(a world.InstalledApp) bool {
		return a.BundleID == bundle || executable(a) == bundle || folder(a) == strings.TrimSuffix(bundle, "/")
	})
	if err != nil {
		return nil, err
	}
	c.connect()
	pid, err := c.world.Launch(ctx, c.device.UDID, a.BundleID, world.LaunchOptions{Args: arguments, Env: env,
		TerminateRunning: c.args.Has("--terminate-existing")})
	var apple *world.Error
	if errors.As(err, &apple) {
		return nil, notLaunched(a.BundleID, apple)
	}
	if err != nil {
		return nil, err
	}
	c.say("Launched application with %s bundle identifier.\n", a.BundleID)
	result := object{"deviceIdentifier": c.device.Identifier, "launchOptions": c.launchOptions(arguments, env), "process": object{
		"auditToken": []any{pid, pid}, "executable": "file://" + executable(a), "processIdentifier": pid,
	}}
	if c.args.Has("--console") {
		return result, c.console(ctx, a.BundleID, pid)
	}
	return result, nil
}

func (c *call) launchOptions(arguments []string, env map[string]string) object {
	vars := object{}
	for name, value := range env {
		vars[name] = value
	}
	return object{
		"activatedWhenStarted": !c.args.Has("--no-activate"), "arguments": array(arguments), "environmentVariables": vars,
		"platformSpecificOptions": object{},
		"startStopped":            c.args.Has("--start-stopped"), "terminateExistingInstances": c.args.Has("--terminate-existing"),
		"user": object{"active": true},
	}
}

// childEnv is the environment meant for the app: that of the caller with a prefix, and what is given as JSON.
func (c *call) childEnv() (map[string]string, error) {
	env := map[string]string{}
	for name, value := range c.Env {
		if own, is := strings.CutPrefix(name, "DEVICECTL_CHILD_"); is {
			env[own] = value
		}
	}
	text := c.args.Value("--environment-variables")
	if text == "" {
		return env, nil
	}
	given := map[string]string{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return nil, swiftargs.Refuse("The value '%s' is invalid for '--environment-variables <environment-variables>'", text)
	}
	maps.Copy(env, given)
	return env, nil
}

// console shows what the app prints until it ends. An interrupt ends the app.
func (c *call) console(ctx context.Context, bundle string, pid int) error {
	c.say("Waiting for the application to terminate...\n")
	err := c.world.Attach(ctx, c.device.UDID, pid, c.Stdout, c.Stderr)
	if ctx.Err() != nil {
		_ = c.world.Terminate(context.WithoutCancel(ctx), c.device.UDID, bundle) // it may have ended by itself
		return nil
	}
	return err
}

func terminate(ctx context.Context, c *call) (object, error) {
	text := c.args.Value("--pid")
	pid, err := strconv.Atoi(text)
	if err != nil {
		return nil, swiftargs.Refuse("The value '%s' is invalid for '--pid <pid>'", text)
	}
	a, err := c.which(func(a world.InstalledApp) bool { return a.PID == pid && pid != 0 })
	if err != nil {
		return nil, noProcess(text)
	}
	c.connect()
	if err := c.world.Terminate(ctx, c.device.UDID, a.BundleID); err != nil {
		return nil, err
	}
	signal := object{"name": "SIGTERM", "value": 15}
	if c.args.Has("--kill") {
		signal = object{"name": "SIGKILL", "value": 9}
	}
	c.say("Sent %v to process %d.\n", signal["name"], pid)
	return object{
		"deviceIdentifier": c.device.Identifier, "deviceTimestamp": c.world.Now().UTC().Format(jsonTime),
		"process": object{"executable": "file://" + executable(a), "processIdentifier": pid}, "signal": signal,
	}, nil
}
