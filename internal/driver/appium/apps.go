package appium

import (
	"context"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

var (
	_ device.Apps      = (*phone)(nil)
	_ device.Inventory = (*phone)(nil)
	_ device.Links     = (*phone)(nil)
)

// running is the first of XCTest's app states in which the app runs.
const running = 2

// Install puts an app on the device. The server reads the path, which must exist on the server's machine.
func (p *phone) Install(ctx context.Context, path string) (string, error) {
	bundleID, err := appbundle.ID(path)
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err)
	}
	if err := p.mobile(ctx, "installApp", map[string]any{"app": path}, nil, true); err != nil {
		return "", p.refused(err, fault.AppInstallFailed, "installing "+path)
	}
	return bundleID, nil
}

// Launch launches an app, or brings a running app to the front.
func (p *phone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	if err := how.Unhalted("Appium"); err != nil {
		return 0, err
	}
	if how.Stdout != "" || how.Stderr != "" {
		return 0, unsent(fault.Unsupported, "Appium cannot write an app's output to files").
			WithHint("choose another driver: %s", hint.Do("session_set_defaults", "driver", "xctest"))
	}
	if how.Restart {
		if err := p.Terminate(ctx, bundleID); err != nil {
			return 0, err
		}
	}
	args := map[string]any{"bundleId": bundleID}
	if len(how.Args) > 0 {
		args["arguments"] = how.Args
	}
	if len(how.Env) > 0 {
		args["environment"] = how.Env
	}
	if err := p.mobile(ctx, "launchApp", args, nil, true); err != nil {
		return 0, p.notLaunched(ctx, bundleID, err)
	}
	f, err := p.front(ctx)
	if err != nil || f.Bundle != bundleID {
		return 0, nil // it was launched; its pid is unknown
	}
	return f.PID, nil
}

// Terminate ends an app; it succeeds if the app does not run.
func (p *phone) Terminate(ctx context.Context, bundleID string) error {
	if state, err := p.state(ctx, bundleID); err != nil || state < running {
		return err
	}
	err := p.mobile(ctx, "terminateApp", map[string]any{"bundleId": bundleID}, nil, true)
	return p.refused(err, fault.AppTerminate, "ending "+bundleID)
}

// state is XCTest's state of an app.
func (p *phone) state(ctx context.Context, bundleID string) (state int, err error) {
	return state, p.lost(p.mobile(ctx, "queryAppState", map[string]any{"bundleId": bundleID}, &state, false), false)
}

// notLaunched is the fault of an app that could not be launched. It asks whether the app is installed, because the server uses the same
// words for a missing app and for many other errors.
func (p *phone) notLaunched(ctx context.Context, bundleID string, err error) error {
	if _, broken := asSend(err); !broken && !isFault(err) {
		if there, known := p.has(ctx, bundleID); known && !there {
			return p.notInstalled(bundleID)
		}
	}
	return p.refused(err, fault.AppLaunchFailed, "launching "+bundleID)
}

// has checks whether an app is installed, as far as the server knows. It asks once: a server without Apple's tools never knows.
func (p *phone) has(ctx context.Context, bundleID string) (there, known bool) {
	err := p.mobile(ctx, "isAppInstalled", map[string]any{"bundleId": bundleID}, &there, true)
	return there, err == nil
}

func (p *phone) notInstalled(bundleID string) error {
	return unsent(fault.AppNotFound, "%s is not installed on %s", bundleID, p.info.Name)
}

// refused is the server's error to a command about an app, as a fault of the given code.
func (p *phone) refused(err error, code fault.Code, what string) error {
	if _, broken := asSend(err); err == nil || broken || isFault(err) {
		return p.lost(err, true)
	}
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod, webdriver.UnsupportedOp) {
		return p.lost(err, true)
	}
	return fault.New(code, "%s through %s: %w", what, p.who(), err)
}

// List returns the installed user apps. The server knows only the process of the app in front.
func (p *phone) List(ctx context.Context) ([]device.App, error) {
	var found map[string]struct {
		Name    string `json:"CFBundleDisplayName"`
		Bundle  string `json:"CFBundleName"`
		Version string `json:"CFBundleShortVersionString"`
		Path    string `json:"Path"`
	}
	if err := p.lost(p.mobile(ctx, "listApps", map[string]any{"applicationType": "User"}, &found, false), false); err != nil {
		return nil, err
	}
	f, err := p.front(ctx)
	if err != nil {
		return nil, err
	}
	apps := []device.App{}
	for id, a := range found {
		app := device.App{Bundle: id, Name: a.Name, Version: a.Version, Type: "User", Path: a.Path}
		if app.Name == "" {
			app.Name = a.Bundle
		}
		if id == f.Bundle {
			app.PID = f.PID
		}
		apps = append(apps, app)
	}
	return apps, nil
}

// Uninstall removes an app.
func (p *phone) Uninstall(ctx context.Context, bundleID string) error {
	if there, known := p.has(ctx, bundleID); known && !there {
		return p.notInstalled(bundleID)
	}
	err := p.mobile(ctx, "removeApp", map[string]any{"bundleId": bundleID}, nil, true)
	return p.refused(err, fault.ToolFailed, "removing "+bundleID)
}

// OpenURL opens a URL.
func (p *phone) OpenURL(ctx context.Context, url string) error {
	return p.tell(ctx, "/url", map[string]any{"url": url})
}
