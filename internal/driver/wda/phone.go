package wda

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// springboard is the app of the home screen and of the system's alerts.
const springboard = "com.apple.springboard"

// phone is one device. Only the holder of its lane calls its methods, except Close, Info, Screenshot, Probe and the methods of
// device.Agent.
type phone struct {
	webdriver.Fingers
	driver     *Driver
	info       device.Info
	connecting *device.Lane // no other part of the device changes its screen; such a change would not call stir
	sole       bool         // no other part of the device changes its screen without calling stir

	mu     sync.Mutex // guards the fields below
	server *server
	closed bool
	still  string  // digest of a settled look; "" once something may have changed the screen
	screen ui.Rect // of the app at the last look; empty: unknown
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Prober = (*phone)(nil)
	_ device.Agent  = (*phone)(nil)
)

func newPhone(d *Driver, info device.Info, sole bool) *phone {
	p := &phone{driver: d, info: info, connecting: device.NewLane(), sole: sole}
	p.Fingers = webdriver.Fingers{Send: p.perform, Screen: p.seen}
	return p
}

// seen is the screen of the app at the last look.
func (p *phone) seen() ui.Rect {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen
}

// Info describes the device at the time it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver is the driver's name.
func (p *phone) Driver() string { return p.driver.Name() }

// who returns the server's name in messages.
func (p *phone) who() string { return "WebDriverAgent on " + p.info.Name }

// stir records an action that may change the screen.
func (p *phone) stir() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still = ""
}

// closeWait is how long the end of a session, and of a server that the driver started, may take.
const closeWait = 6 * time.Second

// Close ends the session, and the server if the driver started it.
func (p *phone) Close() error {
	p.mu.Lock()
	s := p.server
	p.server, p.closed = nil, true
	p.mu.Unlock()
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return s.end(ctx)
}

// Screenshot asks WebDriverAgent, which answers even while it runs a command.
func (p *phone) Screenshot(ctx context.Context) ([]byte, error) {
	var text string
	if err := p.outside(ctx, webdriver.Get("/screenshot"), &text); err != nil {
		return nil, fault.From(err).WithDispatch(fault.NotDispatched)
	}
	png, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fault.New(fault.ScreenshotFailed, "%s cannot take a screenshot: %w", p.who(), err)
	}
	return png, nil
}

// Probe asks whether WebDriverAgent is ready.
func (p *phone) Probe(ctx context.Context) error {
	s, err := p.connect(ctx)
	if err != nil {
		return err
	}
	status, err := s.client.Status(ctx)
	switch {
	case err != nil:
		return p.lost(ctx, err)
	case !status.Ready:
		return fault.New(fault.AgentFailed, "%s is not ready: %s", p.who(), status.Message)
	}
	return nil
}

// AgentState describes the state of the device's WebDriverAgent.
func (p *phone) AgentState() device.AgentState {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := device.AgentState{UDID: p.info.UDID, Name: p.info.Name, Driver: p.Driver(), State: device.AgentAbsent}
	if p.server != nil {
		p.server.describe(&state)
	}
	return state
}

// StartAgent makes sure that WebDriverAgent answers and has a session. On a physical device only StartAgent starts a server.
func (p *phone) StartAgent(ctx context.Context) error {
	_, err := p.connect(ctx)
	if !p.cabled() || !fault.Is(err, fault.AgentNotRunning) || p.driver.prebuilt() == "" {
		return err
	}
	err = p.connecting.Do(ctx, func() error {
		s, err := p.driver.startOnDevice(ctx, p.info)
		if err == nil && !p.use(s) {
			err = errors.Join(p.closedFault(), s.end(context.WithoutCancel(ctx)))
		}
		return err
	})
	if err != nil {
		return unsent(err)
	}
	_, err = p.connect(ctx)
	return err
}

// StopAgent ends the session, and the server if the driver started it; the next action makes another.
func (p *phone) StopAgent(ctx context.Context) error {
	return p.connecting.Do(ctx, func() error {
		p.drop(ctx)
		return nil
	})
}
