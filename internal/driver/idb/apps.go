package idb

import (
	"context"
	"errors"
	"io"
	"strings"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

var (
	_ device.Apps      = (*phone)(nil)
	_ device.Running   = (*phone)(nil)
	_ device.Inventory = (*phone)(nil)
	_ device.Links     = (*phone)(nil)
)

// Install installs an app from its folder, which the companion reads on this machine.
func (p *phone) Install(ctx context.Context, path string) (string, error) {
	bundleID, err := appbundle.ID(path)
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err)
	}
	app := idbwire.DestinationApp
	steps := []any{&idbwire.InstallRequest{Destination: &app}, &idbwire.InstallRequest{Payload: &idbwire.Payload{FilePath: &path}}}
	err = p.do(ctx, acts, installTime, func(ctx context.Context, c *companion) error {
		return c.send(ctx, idbwire.Install, steps, func(next func(any) error) error {
			for told := 0; ; told++ {
				err := next(&idbwire.InstallResponse{})
				if errors.Is(err, io.EOF) && told > 0 {
					return nil
				}
				if err != nil {
					return err
				}
			}
		})
	})
	return bundleID, p.refused(err, fault.AppInstallFailed, "installing "+path)
}

// refused is the companion's error to a command about an app, as a fault of the given code.
func (p *phone) refused(err error, code fault.Code, what string) error {
	if no, answered := errors.AsType[*idbwire.StatusError](err); answered && no.Code != idbwire.Unimplemented {
		return fault.New(code, "%s on %s: %w", what, p.info.Name, no).WithHint("look at the screen of the device: %s",
			hint.Do("take_screenshot"))
	}
	return err
}

// list asks the companion for the apps.
func (p *phone) list(ctx context.Context) ([]*idbwire.App, error) {
	var answer idbwire.ListAppsResponse
	err := p.ask(ctx, reads, idbwire.ListApps, &idbwire.Empty{}, &answer)
	return answer.Apps, err
}

// find returns an installed app, or nil.
func (p *phone) find(ctx context.Context, bundleID string) (*idbwire.App, error) {
	apps, err := p.list(ctx)
	for _, a := range apps {
		if a.BundleID == bundleID {
			return a, err
		}
	}
	return nil, err
}

func (p *phone) mustHave(ctx context.Context, bundleID string) error {
	a, err := p.find(ctx, bundleID)
	if err == nil && a == nil {
		err = refuse(fault.AppNotFound, "%s is not installed on %s", bundleID, p.info.Name).WithHint("%s lists the installed apps",
			hint.Do("list_apps"))
	}
	return err
}

// Launch launches an app, or brings a running app to the front.
func (p *phone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	if err := how.Unhalted("idb"); err != nil {
		return 0, err
	}
	if how.Stdout != "" || how.Stderr != "" {
		return 0, refuse(fault.Unsupported, "idb cannot write an app's output to files").
			WithHint("choose another driver: %s", useXCTest)
	}
	if err := p.mustHave(ctx, bundleID); err != nil {
		return 0, err
	}
	if how.Restart {
		if err := p.Terminate(ctx, bundleID); err != nil {
			return 0, err
		}
	}
	start := &idbwire.LaunchStart{BundleID: bundleID, Env: how.Env, Args: how.Args, ForegroundIfRunning: true}
	var answer idbwire.LaunchResponse
	err := p.ask(ctx, acts, idbwire.Launch, &idbwire.LaunchRequest{Start: start}, &answer)
	if err != nil {
		return 0, p.refused(err, fault.AppLaunchFailed, "launching "+bundleID)
	}
	if answer.Debugger == nil {
		return 0, nil // it was launched; an older companion does not report the process
	}
	return int(answer.Debugger.PID), nil
}

// Terminate ends an app; it succeeds if the app does not run.
func (p *phone) Terminate(ctx context.Context, bundleID string) error {
	a, err := p.find(ctx, bundleID)
	if err != nil || a == nil || a.State != idbwire.ProcessRunning {
		return err
	}
	err = p.ask(ctx, acts, idbwire.Terminate, &idbwire.BundleRequest{BundleID: bundleID}, &idbwire.Empty{})
	return p.refused(err, fault.AppTerminate, "ending "+bundleID)
}

// Running returns the running apps. The pid is 0 if an older companion does not report it.
func (p *phone) Running(ctx context.Context) (map[string]int, error) {
	apps, err := p.list(ctx)
	running := map[string]int{}
	for _, a := range apps {
		if a.State == idbwire.ProcessRunning {
			running[a.BundleID] = int(a.PID)
		}
	}
	return running, err
}

// List returns the installed apps.
func (p *phone) List(ctx context.Context) ([]device.App, error) {
	apps, err := p.list(ctx)
	all := []device.App{}
	for _, a := range apps {
		kind := "User"
		if strings.Contains(strings.ToLower(a.InstallType), "system") {
			kind = "System"
		}
		all = append(all, device.App{Bundle: a.BundleID, Name: a.Name, Type: kind, PID: int(a.PID)})
	}
	return all, err
}

// Uninstall removes an app.
func (p *phone) Uninstall(ctx context.Context, bundleID string) error {
	if err := p.mustHave(ctx, bundleID); err != nil {
		return err
	}
	err := p.ask(ctx, acts, idbwire.Uninstall, &idbwire.BundleRequest{BundleID: bundleID}, &idbwire.Empty{})
	return p.refused(err, fault.ToolFailed, "removing "+bundleID)
}

// OpenURL opens a URL.
func (p *phone) OpenURL(ctx context.Context, url string) error {
	return p.ask(ctx, acts, idbwire.OpenURL, &idbwire.OpenURLRequest{URL: url}, &idbwire.Empty{})
}
