package world

import (
	"context"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// SpringBoard is the bundle id of the home screen.
const SpringBoard = "com.apple.springboard"

// installed is an app on a device; its exported fields are what the Store keeps.
type installed struct {
	Preinstalled bool
	Path         string
	Folder       string
	Info, UI     []byte

	bundle *app.Bundle
}

// InstalledApp is what can be said about an app on a device.
type InstalledApp struct {
	BundleID     string
	Name         string
	Version      string
	Path         string // where it was installed from
	Preinstalled bool
	State        AppState
	PID          int // zero when it is not running
}

// LaunchOptions say how to start an app.
type LaunchOptions struct {
	Args             []string
	Env              map[string]string
	TerminateRunning bool // start afresh even if it is running
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

// Install puts an app on a device. One with the same bundle id is replaced, and ended if it runs. path is where
// it came from.
func (w *World) Install(ctx context.Context, udid string, b *app.Bundle, path string) error {
	return w.act(ctx, udid, installCost, func(d *device, _ time.Time) error {
		d.end(b.ID)
		d.Apps = slices.DeleteFunc(d.Apps, func(i *installed) bool { return i.bundle.ID == b.ID })
		d.Apps = append(d.Apps, &installed{Path: path, Folder: b.Folder, Info: b.Info, UI: b.UI, bundle: b})
		return nil
	})
}

// Launch starts an app and brings it to the foreground. One that is running keeps its pid and its state, unless
// o says to terminate it first.
func (w *World) Launch(ctx context.Context, udid, bundle string, o LaunchOptions) (pid int, err error) {
	err = w.act(ctx, udid, launchCost, func(d *device, _ time.Time) error {
		pid, err = d.launch(bundle, o)
		return err
	})
	return pid, err
}

func (d *device) launch(bundle string, o LaunchOptions) (int, error) {
	if bundle == SpringBoard {
		d.Front = ""
		return d.springboardPID, nil
	}
	i := d.installed(bundle)
	if i == nil {
		return 0, cannotLaunch(bundle)
	}
	if o.TerminateRunning {
		d.end(bundle)
	}
	p := d.process(bundle)
	if p == nil {
		p = newProcess(i.bundle, d.NextPID, o)
		d.NextPID++
		d.Running = append(d.Running, p)
	}
	d.Front = bundle
	return p.PID, nil
}

// end removes the process of an app and reports whether there was one.
func (d *device) end(bundle string) bool {
	if d.process(bundle) == nil {
		return false
	}
	d.Running = slices.DeleteFunc(d.Running, func(p *process) bool { return p.Bundle == bundle })
	if d.Front == bundle {
		d.Front = ""
	}
	return true
}

// Terminate ends a running app.
func (w *World) Terminate(ctx context.Context, udid, bundle string) error {
	return w.act(ctx, udid, terminateCost, func(d *device, _ time.Time) error {
		if !d.end(bundle) {
			return nothingToTerminate(bundle)
		}
		return nil
	})
}

// Apps lists the apps on a device, whether it is booted or not.
func (w *World) Apps(udid string) ([]InstalledApp, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, err
	}
	out := make([]InstalledApp, len(d.Apps))
	for n, i := range d.Apps {
		out[n] = InstalledApp{BundleID: i.bundle.ID, Name: i.bundle.Name, Version: i.bundle.Version, Path: i.Path,
			Preinstalled: i.Preinstalled, State: d.appState(i.bundle.ID)}
		if p := d.process(i.bundle.ID); p != nil {
			out[n].PID = p.PID
		}
	}
	return out, nil
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

// front is the bundle id of what is in the foreground: an app, or the home screen.
func (d *device) front() string {
	if d.Front == "" {
		return SpringBoard
	}
	return d.Front
}

// Foreground is the bundle id of what a booted device shows: an app's, or SpringBoard.
func (w *World) Foreground(udid string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.booted(udid, w.clock.Now())
	if err != nil {
		return "", err
	}
	return d.front(), nil
}
