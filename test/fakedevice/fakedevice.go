// Package fakedevice has devices in memory for the tests of one room. Driver lists them. Phone does the work of a simulator's host,
// records its calls, and fails where a test demands it; Paper has a screen that a test draws, and takes input. Both stand at the edge of
// our process, under a real pool, real sessions and real steps; Room calls the operations. The package must not imitate tools or time,
// which is the purpose of Virtual Xcode. Only tests import it.
package fakedevice

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
)

// Usual is the driver of devices for which none is chosen.
const Usual = "xctest"

// Driver lists devices. Its fields do not change while it is used.
type Driver struct {
	Named   string // its name
	Devices []device.Device
	Err     error // why it can list none
}

// Name is the driver's name.
func (d *Driver) Name() string { return d.Named }

// List lists the devices as they say they are.
func (d *Driver) List(context.Context) (infos []device.Info, err error) {
	for _, one := range d.Devices {
		infos = append(infos, one.Info())
	}
	return infos, d.Err
}

// Open gives the device that was put in.
func (d *Driver) Open(i device.Info) device.Device {
	return d.Devices[slices.IndexFunc(d.Devices, func(one device.Device) bool { return one.Info().UDID == i.UDID })]
}

// Bare is a device without any ability.
type Bare struct {
	Is device.Info
	By string // its driver
}

// Info is what the device is.
func (b Bare) Info() device.Info { return b.Is }

// Driver is the driver's name.
func (b Bare) Driver() string { return b.By }

// Close does nothing.
func (b Bare) Close() error { return nil }

// Simulator describes an available one.
func Simulator(udid, name, state string) device.Info {
	return device.Info{UDID: udid, Name: name, State: state, OS: "iOS 18.2", Type: device.TypeSimulator, Family: "iPhone", Available: true}
}

// Phone is a device with all abilities of a simulator except touch. A method that should fail does nothing else.
type Phone struct {
	Installed []device.App
	Screen    *ui.Screen        // in front
	Set       map[string]string // what Look tells, by option
	Board     string            // the pasteboard
	Adjusts   []device.Adjusted // by Prepare and Restore
	PID       int               // of the app that is launched
	Agent     device.AgentState
	Fails     map[string]error // by the method's name

	mu  sync.Mutex
	is  device.Info
	by  string
	did []string
}

// New makes a phone that xctest drives.
func New(i device.Info) *Phone {
	return &Phone{is: i, by: Usual, Set: map[string]string{}, Fails: map[string]error{}}
}

// Info is what the device is now.
func (p *Phone) Info() device.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.is
}

// Driver is the driver's name.
func (p *Phone) Driver() string { return p.by }

// Close does nothing.
func (p *Phone) Close() error { return nil }

// Did are the calls since the last Did: a method and its arguments each.
func (p *Phone) Did() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	did := p.did
	p.did = nil
	return did
}

func (p *Phone) note(method string, args ...any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did = append(p.did, strings.TrimSpace(method+" "+fmt.Sprintln(args...)))
	return p.Fails[method]
}

func (p *Phone) turn(method, state string) error {
	err := p.note(method)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.is.State = state
	}
	return err
}

// Boot boots it.
func (p *Phone) Boot(context.Context) error { return p.turn("Boot", device.Booted) }

// Shutdown shuts it down.
func (p *Phone) Shutdown(context.Context) error { return p.turn("Shutdown", "shutdown") }

// Erase shuts it down.
func (p *Phone) Erase(context.Context) error { return p.turn("Erase", "shutdown") }

// Observe shows Screen.
func (p *Phone) Observe(context.Context, device.Wait) (*ui.Screen, error) {
	return p.Screen, p.note("Observe")
}

// Install takes the path for the bundle id.
func (p *Phone) Install(_ context.Context, path string) (string, error) {
	return "com.installed." + strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".app"), p.note("Install", path)
}

// Launch gives PID.
func (p *Phone) Launch(_ context.Context, bundle string, how device.Launch) (int, error) {
	env := slices.Sorted(maps.Keys(how.Env))
	for i, name := range env {
		env[i] = name + "=" + how.Env[name]
	}
	args := []any{bundle, how.Args, env, how.Restart}
	if how.Halted {
		args = append(args, "halted")
	}
	return p.PID, p.note("Launch", args...)
}

// Terminate ends an app.
func (p *Phone) Terminate(_ context.Context, bundle string) error { return p.note("Terminate", bundle) }

// List gives Installed.
func (p *Phone) List(context.Context) ([]device.App, error) { return p.Installed, p.Fails["List"] }

// Uninstall removes an app.
func (p *Phone) Uninstall(_ context.Context, bundle string) error { return p.note("Uninstall", bundle) }

// OpenURL opens a URL.
func (p *Phone) OpenURL(_ context.Context, url string) error { return p.note("OpenURL", url) }

// EndProcess ends a process.
func (p *Phone) EndProcess(_ context.Context, pid int) error { return p.note("EndProcess", pid) }

// AgentState gives Agent.
func (p *Phone) AgentState() device.AgentState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Agent
}

func (p *Phone) agent(method, state string, args ...any) error {
	err := p.note(method, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.Agent.State = state
	}
	return err
}

// StartAgent connects the agent.
func (p *Phone) StartAgent(ctx context.Context) error {
	return p.agent("StartAgent", device.AgentConnected, device.Team(ctx))
}

// StopAgent ends it.
func (p *Phone) StopAgent(context.Context) error { return p.agent("StopAgent", device.AgentAbsent) }
