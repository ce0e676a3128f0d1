package world

import (
	"cmp"
	"path"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/crashreport"
	"ios-agent/internal/virtualxcode/flaw"
)

// State is a device's power state in simctl's words.
type State string

// The states of a device.
const (
	Shutdown     State = "Shutdown"
	Booting      State = "Booting"
	Booted       State = "Booted"
	ShuttingDown State = "Shutting Down"
)

// Device describes a device at one moment.
type Device struct {
	UDID         string
	Name         string
	State        State
	Type         DeviceType
	Runtime      Runtime
	Screen       Screen // its orientation
	Orientation  Orientation
	DataPath     string
	LogPath      string
	LastBootedAt time.Time // zero if never
}

// device is a simulator or a physical device. The Store keeps the exported fields of its parts.
type device struct {
	identity
	power
	software
	systemState
	mishaps

	world *World
	clock Clock
	news  chan struct{} // closed and replaced after every log entry, output or end of an app
	dirty bool          // changed since the last save

	opening bool // opens a URL in an app
}

// identity identifies a device.
type identity struct {
	UDID      string
	Number    int // devices are numbered in order of creation; no number is used twice
	Name      string
	TypeID    string
	RuntimeID string

	deviceType DeviceType
	runtime    Runtime
	hardware   *Hardware // of a physical device; nil for a simulator
}

// power is the power state of a device.
type power struct {
	On         bool      // the last requested state
	Since      time.Time // the time of that request
	BootFor    time.Duration
	LastBooted time.Time
	Proxies    *proxies `json:",omitempty"` // the Mac's proxies at boot time; nil: none
}

// software are the apps of a device and their processes.
type software struct {
	NextPID int
	Apps    []*installed
	Removed []string // bundle ids of uninstalled preinstalled apps
	Running []*process
	Outputs map[string]Output // by bundle id: the output files of running apps
	Front   string            // bundle id of the app in the foreground; empty is the home screen
	Crashes []CrashReport

	springboardPID int
	runners        []*TestRunner       // on it
	consoles       map[int]*console    // by pid
	unreported     []crashreport.Crash // crashes without a written report
}

// systemState is the state of iOS.
type systemState struct {
	Settings    Settings
	Locked      bool          // see Physical
	Orientation Orientation   // orientation; empty is upright
	Hardware    bool          // a hardware keyboard is connected, so the software keyboard stays hidden
	Prompts     []prompt      // permission alerts; the first one is visible
	Alerts      []systemAlert // other system alerts; the last one is on top

	properties map[string]property
	logs       logbook
}

// mishaps are the state of a device's faults.
type mishaps struct {
	flaws   flaw.Flaws
	late    []lateTouch         // touches that have not reached their app yet, earliest first
	before  map[string]*Element // by bundle id: the screen of an app before the last input
	lastTap tapMark
	inputs  inputs
}

// The first pid of a device belongs to its SpringBoard; its apps have the next ones. Ranges of devices do not overlap.
const (
	firstPID    = 20482
	pidsADevice = 10000
)

func (w *World) newDevice(m made, number int) *device {
	d := &device{identity: identity{UDID: m.udid, Name: m.name, TypeID: m.deviceType, RuntimeID: m.runtime, Number: number}}
	d.NextPID = firstPID + number*pidsADevice + 1
	w.equip(d)
	d.preinstall(w.preinstalled)
	return d
}

// equip adds the fields of d that the Store does not keep.
func (w *World) equip(d *device) {
	d.world, d.properties = w, deviceProperties()
	d.clock, d.news, d.consoles = w.clock, make(chan struct{}), map[int]*console{}
	d.deviceType, _ = typeCalled(d.TypeID) // an unknown model has no screen
	d.runtime, _ = runtimeCalled(d.RuntimeID)
	d.flaws = w.plan.Of(d.UDID)
	d.springboardPID = firstPID + d.Number*pidsADevice
}

// preinstall adds the preinstalled apps that were neither replaced nor removed on d. Only iOS has such apps.
func (d *device) preinstall(bundles []*app.Bundle) {
	if d.runtime.Platform != "iOS" {
		return
	}
	for _, b := range bundles {
		if d.installed(b.ID) == nil && !d.removed(b.ID) {
			d.Apps = append(d.Apps, &installed{Preinstalled: true, bundle: b})
		}
	}
}

func (d *device) stateAt(now time.Time) State {
	switch {
	case d.On && (d.hangs() || under(d.Since, now, d.bootTime())):
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
		UDID: d.UDID, Name: d.Name, State: d.stateAt(now), Type: d.deviceType, Runtime: d.runtime, Screen: d.screen(),
		Orientation: cmp.Or(d.Orientation, Portrait),
		DataPath:    path.Join(w.folder(d), "data"), LogPath: path.Join(w.root, "Logs", d.UDID),
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

// Find finds a device by UDID, by exact name, or the first booted one by the word "booted". If several devices have the name it returns
// the first.
func (w *World) Find(name string) (Device, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	if d := w.byUDID[strings.ToUpper(name)]; d != nil {
		return w.describe(d, now), nil
	}
	wanted, none := func(d *device) bool { return d.Name == name }, invalidDevice(name)
	if strings.EqualFold(name, "booted") {
		wanted, none = func(d *device) bool { return d.stateAt(now) == Booted }, noneBooted()
	}
	for _, d := range w.devices {
		if wanted(d) {
			return w.describe(d, now), nil
		}
	}
	return Device{}, none
}
