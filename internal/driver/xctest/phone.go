package xctest

import (
	"context"
	"slices"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// phone is one simulator. Only the holder of its lane calls its methods, except Close, Info and Screenshot.
type phone struct {
	*hands
	driver *Driver

	names map[string]string // process names of apps by bundle id; guarded by mu
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Power  = (*phone)(nil)
	_ device.Apps   = (*phone)(nil)
	_ ground        = (*phone)(nil)
)

func newPhone(d *Driver, info device.Info) *phone {
	p := &phone{driver: d, names: map[string]string{}}
	p.hands = newHands(info, p, agentsource.RunnerID)
	return p
}

func (p *phone) name() string { return p.driver.Name() }

// replaces is true: an agent on a simulator starts by itself.
func (p *phone) replaces() bool { return true }

func (p *phone) greeting() time.Duration { return p.driver.Start.filled().Greeting }

func (p *phone) running(ctx context.Context) (map[string]int, error) { return p.Running(ctx) }

// start starts an agent on a booted simulator.
func (p *phone) start(ctx context.Context, target string) (*agent, error) {
	if err := p.mustBeBooted(ctx); err != nil {
		return nil, err
	}
	run, err := p.driver.Kit.Products(ctx, Want{SDK: xcodebuild.SimulatorSDK, UDID: p.info.UDID})
	if err != nil {
		return nil, err
	}
	end := func(ctx context.Context) {
		_ = p.driver.simctl().Terminate(ctx, p.info.UDID, agentsource.RunnerID) // it may have exited already, alone or with its device
	}
	return p.driver.spawn(ctx, site{
		info: p.info, sdk: xcodebuild.SimulatorSDK, products: run, end: end,
		vacate: func(ctx context.Context) { vacate(ctx, agentsource.RunnerID, p.running, end) },
	}, target)
}

// mustBeBooted fails when the device is off, so that the caller does not get the fault of a broken agent.
func (p *phone) mustBeBooted(ctx context.Context) error {
	infos, err := p.driver.List(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(infos, func(i device.Info) bool { return i.UDID == p.info.UDID })
	if at < 0 {
		return fault.New(fault.DeviceNotFound, "%s (%s) was deleted", p.info.Name, p.info.UDID).
			WithHint("choose another: %s; %s lists the devices", hint.Do("use_device", "device", "NAME"), hint.Do("list_devices"))
	}
	if i := infos[at]; i.State != "booted" {
		return fault.New(fault.DeviceNotBooted, "%s is %s", i.Name, i.State).WithHint("boot it: %s", hint.Do("boot_device", "udid", i.UDID))
	}
	return nil
}

// changing returns simctl for actions that may change the screen.
func (p *phone) changing() simctl.Tool {
	p.stir()
	return p.driver.simctl()
}

// Screenshot asks simctl, not the agent: it works while the agent is busy or absent.
func (p *phone) Screenshot(ctx context.Context) ([]byte, error) {
	png, err := p.driver.simctl().Screenshot(ctx, p.info.UDID)
	return png, p.refused(err, fault.ScreenshotFailed)
}

// Boot boots the simulator and waits until apps can run on it.
func (p *phone) Boot(ctx context.Context) error {
	tool := p.changing()
	if err := tool.Boot(ctx, p.info.UDID); err != nil && stateOf(err) != "Booted" && stateOf(err) != "Booting" {
		return p.refused(err, fault.BootFailed)
	}
	return p.refused(tool.BootStatus(ctx, p.info.UDID), fault.BootFailed)
}

// Shutdown ends the agent and the simulator.
func (p *phone) Shutdown(ctx context.Context) error {
	p.dropAgent()
	err := p.changing().Shutdown(ctx, p.info.UDID)
	if err != nil && stateOf(err) == "Shutdown" {
		return nil
	}
	return p.refused(err, fault.ShutdownFailed)
}

// Install puts an app on the simulator.
func (p *phone) Install(ctx context.Context, path string) (string, error) {
	bundleID, err := bundleIDOf(path)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	delete(p.names, bundleID) // the new app may have another process name
	p.mu.Unlock()
	return bundleID, p.refused(p.changing().Install(ctx, p.info.UDID, path), fault.AppInstallFailed)
}

// Launch starts an app.
func (p *phone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	pid, err := p.changing().Launch(ctx, p.info.UDID, bundleID, simctl.LaunchOptions{
		Args: how.Args, Env: how.Env, TerminateRunning: how.Restart, WaitForDebugger: how.Halted, Stdout: how.Stdout, Stderr: how.Stderr,
	})
	if err != nil {
		return 0, p.refused(err, fault.AppLaunchFailed)
	}
	p.inFront(bundleID)
	return pid, nil
}

// Terminate ends an app.
func (p *phone) Terminate(ctx context.Context, bundleID string) error {
	err := p.changing().Terminate(ctx, p.info.UDID, bundleID)
	if err == nil {
		p.mu.Lock()
		p.ended[bundleID] = true
		p.mu.Unlock()
	}
	return p.refused(err, fault.AppTerminate)
}
