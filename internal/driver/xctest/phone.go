package xctest

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/ui"
)

// springboard is the app in front when nothing was launched.
const springboard = "com.apple.springboard"

// phone is one simulator. Only the holder of its lane calls its methods, except Close, Info and Screenshot.
type phone struct {
	driver     *Driver
	info       device.Info
	connecting *device.Lane // one at a time connects

	mu     sync.Mutex // guards what others than the lane's holder may touch
	agent  *agent
	closed bool
	target string // the app the agent looks at
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Power  = (*phone)(nil)
	_ device.Apps   = (*phone)(nil)
)

func newPhone(d *Driver, info device.Info) *phone {
	p := &phone{driver: d, info: info, connecting: device.NewLane(), target: springboard}
	if saved, err := os.ReadFile(p.targetFile()); err == nil && len(saved) > 0 {
		p.target = string(saved)
	}
	return p
}

// targetFile holds the app that a device shows, for the next daemon: XCTest has no public way to ask which app is in front.
func (p *phone) targetFile() string {
	return filepath.Join(p.driver.State, p.info.UDID+".app")
}

func (p *phone) looksAt() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

func (p *phone) remember(bundleID string) error {
	p.mu.Lock()
	p.target = bundleID
	p.mu.Unlock()
	return wholefile.Write(p.targetFile(), []byte(bundleID))
}

// Info describes the simulator as it was when it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver names the driver.
func (p *phone) Driver() string { return p.driver.Name() }

// Close stops the agent.
func (p *phone) Close() error {
	p.mu.Lock()
	a := p.agent
	p.agent, p.closed = nil, true
	p.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.stop(p.driver)
}

// Observe looks at the target app; the waiting happens in the agent.
func (p *phone) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	answer, err := ask[*agentwire.Observation](ctx, p, &agentwire.Observe{
		StableMS: uint32(w.Stable.Milliseconds()), MinMS: uint32(w.Min.Milliseconds()), MaxMS: uint32(w.Max.Milliseconds()),
	}, reads)
	if err != nil {
		return nil, err
	}
	if answer.Bundle != p.target {
		return nil, fault.New(fault.AgentFailed, "the agent on %s looked at %s instead of %s", p.info.Name, answer.Bundle, p.target)
	}
	return screenOf(answer)
}

// Screenshot asks simctl, not the agent: it works while the agent is busy, and without one.
func (p *phone) Screenshot(ctx context.Context) ([]byte, error) {
	png, err := p.driver.simctl().Screenshot(ctx, p.info.UDID)
	return png, p.refused(err, fault.ScreenshotFailed)
}

// Boot boots the simulator and waits until apps can run on it.
func (p *phone) Boot(ctx context.Context) error {
	tool := p.driver.simctl()
	if err := tool.Boot(ctx, p.info.UDID); err != nil && stateOf(err) != "Booted" && stateOf(err) != "Booting" {
		return p.refused(err, fault.BootFailed)
	}
	return p.refused(tool.BootStatus(ctx, p.info.UDID), fault.BootFailed)
}

// Shutdown ends the agent and the simulator.
func (p *phone) Shutdown(ctx context.Context) error {
	p.dropAgent()
	err := p.driver.simctl().Shutdown(ctx, p.info.UDID)
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
	return bundleID, p.refused(p.driver.simctl().Install(ctx, p.info.UDID, path), fault.AppInstallFailed)
}

// Launch starts an app and makes it the one to look at.
func (p *phone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	pid, err := p.driver.simctl().Launch(ctx, p.info.UDID, bundleID, simctl.LaunchOptions{
		Args: how.Args, Env: how.Env, TerminateRunning: how.Restart, Stdout: how.Stdout, Stderr: how.Stderr,
	})
	if err != nil {
		return 0, p.refused(err, fault.AppLaunchFailed)
	}
	return pid, p.lookAt(bundleID)
}

// Terminate ends an app.
func (p *phone) Terminate(ctx context.Context, bundleID string) error {
	return p.refused(p.driver.simctl().Terminate(ctx, p.info.UDID, bundleID), fault.AppTerminate)
}
