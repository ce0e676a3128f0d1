package idb

import (
	"bytes"
	"context"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// springboard is the app of the home screen, and of what the system shows over others.
const springboard = "com.apple.springboard"

// phone is one simulator. Only the holder of its lane calls its methods, except Close, Info, Screenshot, Probe and those of the agent.
type phone struct {
	driver     *Driver
	info       device.Info
	at         string       // of its companion; empty: we start one
	connecting *device.Lane // one at a time connects

	mu        sync.Mutex // guards what follows
	companion *companion
	closed    bool
	screen    ui.Rect           // of the app at the last look; empty: unknown
	panel     ui.Rect           // of the device, upright; empty: unknown
	held      string            // how we turned the device; empty: we did not
	names     map[uint64]string // bundle ids, by process
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Prober = (*phone)(nil)
)

// Info describes the device as it was when it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver names the driver.
func (p *phone) Driver() string { return Spec().Name }

// who is how messages call the other side.
func (p *phone) who() string { return "idb_companion of " + p.info.Name }

// measure notes how large the panel is.
func (p *phone) measure(s *idbwire.ScreenDimensions) {
	if s == nil || s.WidthPoints == 0 || s.HeightPoints == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.panel = ui.Rect{W: float64(s.WidthPoints), H: float64(s.HeightPoints)}
}

// closeWait is how long the end of a companion that we started may take.
const closeWait = 8 * time.Second

// Close leaves the companion, and ends it if we started it.
func (p *phone) Close() error {
	p.mu.Lock()
	c := p.companion
	p.companion, p.closed = nil, true
	p.mu.Unlock()
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return c.end(ctx)
}

var pngMagic = []byte("\x89PNG\r\n\x1a\n")

// Screenshot is a picture of the whole screen.
func (p *phone) Screenshot(ctx context.Context) ([]byte, error) {
	var picture idbwire.ScreenshotResponse
	if err := p.ask(ctx, reads, idbwire.Screenshot, &idbwire.Empty{}, &picture); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(picture.Data, pngMagic) {
		return nil, refuse(fault.ScreenshotFailed, "%s sends no picture: %d bytes that are no PNG", p.who(), len(picture.Data))
	}
	return picture.Data, nil
}

// Probe asks whether the companion serves the device.
func (p *phone) Probe(ctx context.Context) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	return p.verify(ctx, c)
}
