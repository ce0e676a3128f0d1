package xctest

import (
	"context"
	"sync"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
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
	target string            // the app that was in front last: it is asked first
	still  string            // the digest of a settled look; empty once something may have changed the screen
	ended  map[string]bool   // apps that we ended ourselves
	names  map[string]string // of the processes of apps, by bundle id
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Power  = (*phone)(nil)
	_ device.Apps   = (*phone)(nil)
)

func newPhone(d *Driver, info device.Info) *phone {
	return &phone{driver: d, info: info, connecting: device.NewLane(), target: springboard, ended: map[string]bool{},
		names: map[string]string{}}
}

func (p *phone) looksAt() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

// inFront notes an app that is in front, or was launched and therefore should be.
func (p *phone) inFront(bundleID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = bundleID
	delete(p.ended, bundleID)
}

// stir notes that something is done that may change the screen.
func (p *phone) stir() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still = ""
}

// changing is simctl for what may change the screen.
func (p *phone) changing() simctl.Tool {
	p.stir()
	return p.driver.simctl()
}

// Info describes the simulator as it was when it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver names the driver.
func (p *phone) Driver() string { return p.driver.Name() }

// Close stops the agent, and does not wait long for it: who closes is leaving.
func (p *phone) Close() error {
	p.mu.Lock()
	a := p.agent
	p.agent, p.closed = nil, true
	p.mu.Unlock()
	if a == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return a.stop(ctx, p.driver)
}

// Screenshot asks simctl, not the agent: it works while the agent is busy, and without one.
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
	delete(p.names, bundleID) // the new one may have another
	p.mu.Unlock()
	return bundleID, p.refused(p.changing().Install(ctx, p.info.UDID, path), fault.AppInstallFailed)
}

// Launch starts an app.
func (p *phone) Launch(ctx context.Context, bundleID string, how device.Launch) (int, error) {
	pid, err := p.changing().Launch(ctx, p.info.UDID, bundleID, simctl.LaunchOptions{
		Args: how.Args, Env: how.Env, TerminateRunning: how.Restart, Stdout: how.Stdout, Stderr: how.Stderr,
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
