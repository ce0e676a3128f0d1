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

// springboard is the app of the home screen and of the system's alerts.
const springboard = "com.apple.springboard"

// phone is one simulator. Only the holder of its lane calls its methods, except Close, Info, Screenshot, Probe and the methods of
// device.Agent.
type phone struct {
	driver     *Driver
	info       device.Info
	at         string       // address of its companion; "": the driver starts one
	connecting *device.Lane // one caller at a time connects

	mu        sync.Mutex // guards the fields below
	companion *companion
	closed    bool
	screen    ui.Rect           // of the app at the last look; empty: unknown
	panel     ui.Rect           // of the device, upright; empty: unknown
	held      string            // the orientation that this driver set; "": none
	names     map[uint64]string // bundle ids by process
}

var (
	_ device.Device = (*phone)(nil)
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
	_ device.Prober = (*phone)(nil)
)

// Info describes the device at the time it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver is the driver's name.
func (p *phone) Driver() string { return Spec().Name }

// who returns the companion's name in messages.
func (p *phone) who() string { return "idb_companion of " + p.info.Name }

// measure stores the size of the panel.
func (p *phone) measure(s *idbwire.ScreenDimensions) {
	if s == nil || s.WidthPoints == 0 || s.HeightPoints == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.panel = ui.Rect{W: float64(s.WidthPoints), H: float64(s.HeightPoints)}
}

// closeWait is how long the end of a companion that the driver started may take.
const closeWait = 8 * time.Second

// Close disconnects, and ends the companion if the driver started it.
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
		return nil, refuse(fault.ScreenshotFailed, "%s sent %d bytes that are not a PNG", p.who(), len(picture.Data))
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
