package devicectl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/apple/appbundle"
	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// handset is one physical device. It has no state: every method is one or a few runs of devicectl.
type handset struct {
	driver *Driver
	info   device.Info
}

var (
	_ device.Device    = (*handset)(nil)
	_ device.Apps      = (*handset)(nil)
	_ device.Inventory = (*handset)(nil)
	_ device.Processes = (*handset)(nil)
	_ device.Console   = (*handset)(nil)
)

// Info describes the device at the time it was opened.
func (h *handset) Info() device.Info { return h.info }

// Driver is the driver's name.
func (h *handset) Driver() string { return h.driver.Name() }

// Close has nothing to end: the caller that launched a console owns it.
func (h *handset) Close() error { return nil }

// Install puts an app on the device.
func (h *handset) Install(ctx context.Context, path string) (string, error) {
	bundleID, err := appbundle.ID(path)
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err)
	}
	if _, err := h.driver.tool().Install(ctx, h.info.UDID, path); err != nil {
		return "", h.refused(ctx, err, fault.AppInstallFailed, "installing "+path)
	}
	return bundleID, nil
}

// Launch launches an app. devicectl cannot write the app's output to files.
func (h *handset) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	if err := device.CheckBundle(bundleID); err != nil {
		return 0, err
	}
	if err := how.Unhalted(h.info.Name); err != nil {
		return 0, err
	}
	if how.Stdout != "" || how.Stderr != "" {
		return 0, fault.New(fault.Unsupported, "cannot write an app's output on %s to files: devicectl has no option for it", h.info.Name).
			WithHint("follow the console of the app instead")
	}
	pid, err := h.driver.tool().Launch(ctx, h.info.UDID, bundleID, ctl.LaunchOptions{Args: how.Args, Env: how.Env, KeepRunning: !how.Restart})
	return pid, h.notLaunched(ctx, err, bundleID)
}

// Terminate ends an app; it succeeds if the app does not run. devicectl ends processes only, so Terminate looks up the app's process.
func (h *handset) Terminate(ctx context.Context, bundleID string) error {
	app, err := h.app(ctx, bundleID)
	if err != nil {
		return err
	}
	running, err := h.driver.tool().Processes(ctx, h.info.UDID)
	if err != nil {
		return h.refused(ctx, err, fault.AppTerminate, "ending "+bundleID)
	}
	for _, p := range running {
		if !app.Runs(p) {
			continue
		}
		if err := h.driver.tool().Terminate(ctx, h.info.UDID, p.PID); err != nil && !isGone(err) {
			return h.refused(ctx, err, fault.AppTerminate, "ending "+bundleID)
		}
	}
	return nil
}

// isGone reports whether a process could not be ended because it does not exist.
func isGone(err error) bool {
	var no *ctl.Refusal
	return errors.As(err, &no) && no.Has("NSPOSIXErrorDomain", 3) // ESRCH
}

// EndProcess ends a process.
func (h *handset) EndProcess(ctx context.Context, pid int) error {
	return h.refused(ctx, h.driver.tool().Terminate(ctx, h.info.UDID, pid), fault.AppTerminate, fmt.Sprintf("ending process %d", pid))
}

// List returns the installed apps; running apps have their pid.
func (h *handset) List(ctx context.Context) ([]device.App, error) {
	found, err := h.driver.tool().Apps(ctx, h.info.UDID, "")
	if err != nil {
		return nil, h.refused(ctx, err, fault.ToolFailed, "listing the apps")
	}
	running, err := h.driver.tool().Processes(ctx, h.info.UDID)
	if err != nil {
		return nil, h.refused(ctx, err, fault.ToolFailed, "listing the processes")
	}
	apps := make([]device.App, len(found))
	for i, a := range found {
		apps[i] = device.App{Bundle: a.BundleID, Name: a.Name, Version: a.Version, Type: "User", Path: strings.TrimPrefix(a.URL, "file://")}
		if a.Default {
			apps[i].Type = "System"
		}
		for _, p := range running {
			if a.Runs(p) {
				apps[i].PID = p.PID
				break
			}
		}
	}
	return apps, nil
}

// Uninstall removes an app.
func (h *handset) Uninstall(ctx context.Context, bundleID string) error {
	if _, err := h.app(ctx, bundleID); err != nil {
		return err
	}
	return h.refused(ctx, h.driver.tool().Uninstall(ctx, h.info.UDID, bundleID), fault.ToolFailed, "uninstalling "+bundleID)
}

// app finds an installed app.
func (h *handset) app(ctx context.Context, bundleID string) (ctl.App, error) {
	if err := device.CheckBundle(bundleID); err != nil {
		return ctl.App{}, err
	}
	found, err := h.driver.tool().Apps(ctx, h.info.UDID, bundleID)
	if err != nil {
		return ctl.App{}, h.refused(ctx, err, fault.ToolFailed, "looking for "+bundleID)
	}
	for _, a := range found {
		if a.BundleID == bundleID {
			return a, nil
		}
	}
	return ctl.App{}, fault.New(fault.AppNotFound, "%s is not installed on %s", bundleID, h.info.Name)
}
