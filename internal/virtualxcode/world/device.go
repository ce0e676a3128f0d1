package world

import (
	"path"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// State is what simctl says of a device's power.
type State string

// The states of a device.
const (
	Shutdown     State = "Shutdown"
	Booting      State = "Booting"
	Booted       State = "Booted"
	ShuttingDown State = "Shutting Down"
)

// Device is what can be said about a simulator at one moment.
type Device struct {
	UDID         string
	Name         string
	State        State
	Type         DeviceType
	Runtime      Runtime
	Screen       Screen
	DataPath     string
	LogPath      string
	LastBootedAt time.Time // zero if never
}

// device is a simulator; its exported fields are what the Store keeps.
type device struct {
	UDID       string
	On         bool      // what its power was last set to
	Since      time.Time // when
	LastBooted time.Time
	NextPID    int
	Apps       []*installed
	Running    []*process
	Front      string // bundle id of the app in the foreground; empty is the home screen

	name       string
	deviceType DeviceType
	runtime    Runtime

	springboardPID int
}

// The first pid of the first device is its SpringBoard's; apps come after it. Devices are far enough apart not to
// share pids.
const (
	firstPID    = 20482
	pidsADevice = 10000
)

func (w *World) newDevice(m made) *device {
	pid := firstPID + len(w.devices)*pidsADevice
	d := &device{UDID: m.udid, name: m.name, springboardPID: pid, NextPID: pid + 1}
	for _, t := range deviceTypes() {
		if t.ID == m.deviceType {
			d.deviceType = t
		}
	}
	for _, r := range runtimes() {
		if r.ID == m.runtime {
			d.runtime = r
		}
	}
	d.preinstall(w.preinstalled)
	return d
}

// preinstall adds the apps that d does not have in a version of its own.
func (d *device) preinstall(bundles []*app.Bundle) {
	for _, b := range bundles {
		if d.installed(b.ID) == nil {
			d.Apps = append(d.Apps, &installed{Preinstalled: true, bundle: b})
		}
	}
}

func (d *device) stateAt(now time.Time) State {
	switch {
	case d.On && under(d.Since, now, bootTime):
		return Booting
	case d.On:
		return Booted
	case under(d.Since, now, shutdownTime):
		return ShuttingDown
	}
	return Shutdown
}

func (w *World) describe(d *device, now time.Time) Device {
	return Device{
		UDID: d.UDID, Name: d.name, State: d.stateAt(now), Type: d.deviceType, Runtime: d.runtime, Screen: d.deviceType.Screen,
		DataPath: path.Join(w.root, "Devices", d.UDID, "data"), LogPath: path.Join(w.root, "Logs", d.UDID),
		LastBootedAt: d.LastBooted,
	}
}

// Devices lists all simulators.
func (w *World) Devices() []Device {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	out := make([]Device, len(w.devices))
	for i, d := range w.devices {
		out[i] = w.describe(d, now)
	}
	return out
}

// Find finds a device by UDID, by exact name, or the first booted one by the word "booted".
func (w *World) Find(name string) (Device, error) {
	if strings.EqualFold(name, "booted") {
		return w.first(func(d Device) bool { return d.State == Booted }, noneBooted())
	}
	if d, err := w.first(func(d Device) bool { return strings.EqualFold(d.UDID, name) }, invalidDevice(name)); err == nil {
		return d, nil
	}
	return w.first(func(d Device) bool { return d.Name == name }, invalidDevice(name))
}

func (w *World) first(match func(Device) bool, none error) (Device, error) {
	for _, d := range w.Devices() {
		if match(d) {
			return d, nil
		}
	}
	return Device{}, none
}
