package world

import (
	"context"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
)

// SpringBoard is the bundle id of the home screen.
const SpringBoard = "com.apple.springboard"

// installed is an app on a device; the Store keeps its exported fields.
type installed struct {
	Preinstalled bool
	Path         string
	Folder       string
	Info, UI     []byte

	bundle *app.Bundle
}

// InstalledApp describes an app on a device.
type InstalledApp struct {
	BundleID     string
	Name         string
	Version      string
	Build        string
	Executable   string
	Path         string // its path before the install
	Containers   Containers
	Preinstalled bool
	State        AppState
	PID          int // zero if it does not run
}

func (d *device) installed(bundle string) *installed {
	for _, i := range d.Apps {
		if i.bundle.ID == bundle {
			return i
		}
	}
	return nil
}

func (d *device) process(bundle string) *process {
	for _, p := range d.Running {
		if p.Bundle == bundle {
			return p
		}
	}
	return nil
}

// Install puts an app on a device. It replaces an app with the same bundle id and ends its process. path is the path of the app's
// bundle.
func (w *World) Install(ctx context.Context, udid string, b *app.Bundle, path string) error {
	return w.act(ctx, udid, installCost, func(d *device, _ time.Time) error {
		if d.flaws.Happens(flaw.InstallFails) {
			return cannotInstall()
		}
		if err := w.removeApp(d, b); err != nil {
			return err
		}
		d.end(b.ID)
		d.Removed = slices.DeleteFunc(d.Removed, func(id string) bool { return id == b.ID })
		d.Apps = slices.DeleteFunc(d.Apps, func(i *installed) bool { return i.bundle.ID == b.ID })
		d.Apps = append(d.Apps, &installed{Path: path, Folder: b.Folder, Info: b.Info, UI: b.UI, bundle: b})
		d.log(Entry{Process: "installd", PID: d.springboardPID - 1, Subsystem: "com.apple.installd", Category: "Install",
			Message: "Install successful for " + b.ID})
		return nil
	})
}

func (d *device) removed(bundle string) bool { return slices.Contains(d.Removed, bundle) }

// Uninstall removes an app with its data. Like the real tool it succeeds if the app is not installed.
func (w *World) Uninstall(ctx context.Context, udid, bundle string) error {
	return w.act(ctx, udid, terminateCost, func(d *device, _ time.Time) error {
		i := d.installed(bundle)
		if i == nil {
			return nil
		}
		if strings.HasPrefix(bundle, "com.apple.") {
			return systemApp(bundle)
		}
		d.end(bundle)
		d.Apps = slices.DeleteFunc(d.Apps, func(other *installed) bool { return other == i })
		d.Removed = append(d.Removed, bundle)
		delete(d.Settings.Privacy, bundle)
		return w.removeContainers(d, i.bundle)
	})
}

// Apps lists the apps of a device, booted or not.
func (w *World) Apps(udid string) ([]InstalledApp, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, err
	}
	out := make([]InstalledApp, len(d.Apps))
	for n, i := range d.Apps {
		out[n] = w.describeApp(d, i)
	}
	if d.hardware == nil {
		return out, nil
	}
	d.reapRunners(w.clock.Now())
	for _, r := range d.runners { // test runners that xcodebuild installs, as device tools list them
		if !slices.ContainsFunc(out, func(a InstalledApp) bool { return a.BundleID == r.Bundle }) {
			out = append(out, r.installed())
		}
	}
	return out, nil
}

// App is one app on a device; an app that is not installed has no BundleID.
func (w *World) App(udid, bundle string) (InstalledApp, error) {
	apps, err := w.Apps(udid)
	if i := slices.IndexFunc(apps, func(a InstalledApp) bool { return a.BundleID == bundle }); i >= 0 {
		return apps[i], nil
	}
	return InstalledApp{}, err
}

func (w *World) describeApp(d *device, i *installed) InstalledApp {
	b := i.bundle
	a := InstalledApp{BundleID: b.ID, Name: b.Name, Version: b.Version, Build: b.Build, Executable: b.Executable,
		Path: i.Path, Containers: w.containers(d, b), Preinstalled: i.Preinstalled, State: d.appState(b.ID)}
	if p := d.process(b.ID); p != nil {
		a.PID = p.PID
	}
	return a
}

func (d *device) appState(bundle string) AppState {
	switch {
	case bundle == d.front():
		return RunningForeground
	case bundle == SpringBoard || d.process(bundle) != nil:
		return RunningBackground
	}
	return NotRunning
}

// State reports whether an app of a booted device runs, and whether it is in front.
func (w *World) State(ctx context.Context, udid, bundle string) (AppState, error) {
	d, _, err := w.enter(ctx, udid)
	if err != nil {
		return "", err
	}
	state := d.appState(bundle)
	return state, w.leave(d)
}

// front is the bundle id of the app in front, or the home screen's.
func (d *device) front() string {
	if d.Front == "" {
		return SpringBoard
	}
	return d.Front
}

// Foreground is the bundle id of the app in front of a booted device, or SpringBoard.
func (w *World) Foreground(udid string) (string, error) {
	d, _, err := w.enter(context.Background(), udid)
	if err != nil {
		return "", err
	}
	front := d.front()
	return front, w.leave(d)
}

// ForegroundPID is the pid of the app in front of a booted device.
func (w *World) ForegroundPID(udid string) (int, error) {
	d, _, err := w.enter(context.Background(), udid)
	if err != nil {
		return 0, err
	}
	pid := d.springboardPID
	if p := d.process(d.Front); p != nil {
		pid = p.PID
	}
	return pid, w.leave(d)
}
