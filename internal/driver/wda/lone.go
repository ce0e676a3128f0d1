package wda

import (
	"context"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// lone is a device that only its WebDriverAgent knows. The server launches its apps.
type lone struct{ *phone }

var (
	_ device.Apps    = (*lone)(nil)
	_ device.Running = (*lone)(nil)
	_ device.Links   = (*lone)(nil)
)

// Install always fails: WebDriverAgent cannot install apps.
func (l *lone) Install(_ context.Context, path string) (string, error) {
	return "", fault.New(fault.Unsupported, "%s cannot install %s: it only launches installed apps", l.who(), path).
		WithHint("install it with Xcode; or name the device by its udid, which %s lists", hint.Do("list_devices"))
}

// The states of an app, as XCTest numbers them.
const (
	stateUnknown    = 0
	stateNotRunning = 1
)

func (l *lone) state(ctx context.Context, bundleID string) (int, error) {
	var state int
	return state, l.send(ctx, ask("/wda/apps/state", map[string]any{"bundleId": bundleID}), &state)
}

// Launch launches an app, or brings a running app to the front. The app's output cannot be read.
func (l *lone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	if err := how.Unhalted(l.who()); err != nil {
		return 0, err
	}
	if how.Stdout != "" || how.Stderr != "" {
		return 0, fault.New(fault.Unsupported, "%s cannot read the output of %s", l.who(), bundleID).WithDispatch(fault.NotDispatched)
	}
	if how.Restart {
		if err := l.Terminate(ctx, bundleID); err != nil {
			return 0, err
		}
	}
	body := map[string]any{"bundleId": bundleID, "shouldWaitForQuiescence": false}
	if len(how.Args) > 0 {
		body["arguments"] = how.Args
	}
	if len(how.Env) > 0 {
		body["environment"] = how.Env
	}
	if err := l.send(ctx, act("/wda/apps/launch", body), nil); err != nil {
		return 0, l.notLaunched(ctx, bundleID, err)
	}
	info, err := l.front(ctx)
	if err != nil || info.Bundle != bundleID { // the launch succeeded, whichever app is in front now
		return 0, nil
	}
	return info.PID, nil
}

// notLaunched says why the launch failed: the app is not installed, the device is locked, or WebDriverAgent's own error.
func (l *lone) notLaunched(ctx context.Context, bundleID string, err error) error {
	if !webdriver.Is(err, webdriver.UnknownError, webdriver.Timeout, webdriver.InvalidElementState, webdriver.InvalidArgument) {
		return err
	}
	if state, no := l.state(ctx, bundleID); no == nil && state == stateUnknown {
		return fault.New(fault.AppNotFound, "%s is not installed on %s", bundleID, l.info.Name)
	}
	if locked, no := l.locked(ctx); no == nil && locked {
		return fault.New(fault.AppLaunchFailed, "cannot launch %s: %s is locked", bundleID, l.info.Name).
			WithHint("unlock the device with its passcode, then launch the app again: %s", hint.Do("launch_app", "bundle_id", bundleID))
	}
	return fault.New(fault.AppLaunchFailed, "cannot launch %s on %s: %w", bundleID, l.info.Name, err).
		WithHint("look at the screen of the device: %s", hint.Do("take_screenshot"))
}

// locked asks whether the screen is locked.
func (p *phone) locked(ctx context.Context) (bool, error) {
	var locked bool
	return locked, p.send(ctx, get("/wda/locked"), &locked)
}

// Terminate ends an app; it succeeds if the app does not run.
func (l *lone) Terminate(ctx context.Context, bundleID string) error {
	err := l.send(ctx, act("/wda/apps/terminate", map[string]any{"bundleId": bundleID}), nil)
	if webdriver.Is(err, webdriver.UnknownError, webdriver.InvalidArgument) {
		return fault.New(fault.AppTerminate, "cannot end %s on %s: %w", bundleID, l.info.Name, err).
			WithHint("look at the screen of the device: %s", hint.Do("take_screenshot"))
	}
	return err
}

// Running returns the active apps; WebDriverAgent does not list apps in the background.
func (l *lone) Running(ctx context.Context) (map[string]int, error) {
	var apps []appInfo
	if err := l.send(ctx, get("/wda/apps/list"), &apps); err != nil {
		return nil, err
	}
	running := map[string]int{}
	for _, a := range apps {
		if a.Bundle != "" && !strings.Contains(a.Bundle, " ") { // an app without a bundle id has a sentence here
			running[a.Bundle] = a.PID
		}
	}
	return running, nil
}

// OpenURL opens a URL.
func (l *lone) OpenURL(ctx context.Context, url string) error {
	return l.send(ctx, act("/url", map[string]any{"url": url}), nil)
}
