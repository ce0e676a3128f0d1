//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"sync"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/ui"
)

var (
	_ desktop.Desktop = (*Desktop)(nil)
	_ desktop.App     = (*App)(nil)
)

// answerWithin is how long a process may take for one answer. The system's own limit is six seconds for each.
const answerWithin = 1500 * time.Millisecond

// Options of a desktop. The zero value is macOS.
type Options struct {
	Libraries Libraries
	// Alive returns nil for a live process of the user, ESRCH for a dead process, EPERM for another user's; nil is signal 0.
	Alive func(pid int) error
	// Pace is the time between events of one input (default 8 ms). Some apps lose events that come at once.
	Pace time.Duration
	// Press is the time between the press of a button and its release (default 50 ms). macOS 26 drops a release that comes at once.
	Press time.Duration
	// Drop is the shortest time between the end of a drag with the user's pointer and the release (default 300 ms). macOS moves such a drag
	// with a delay, and a release that is made before its last move takes effect first.
	Drop time.Duration
	// Activate is how long a process may take to become active (default 1 s).
	Activate time.Duration
	// Host runs screencapture where macOS lacks the function for pictures; nil: the fault says what is missing.
	Host *host.Host
}

// Desktop is the desktop of the user who runs this process.
type Desktop struct {
	options Options
	load    func() (*library, error)
}

// New makes a desktop. It loads the frameworks at the first use.
func New(o Options) *Desktop {
	if o.Alive == nil {
		o.Alive = alive
	}
	o.Pace = cmp.Or(o.Pace, 8*time.Millisecond)
	o.Press = cmp.Or(o.Press, 50*time.Millisecond)
	o.Drop = cmp.Or(o.Drop, 300*time.Millisecond)
	o.Activate = cmp.Or(o.Activate, time.Second)
	return &Desktop{options: o, load: sync.OnceValues(func() (*library, error) { return load(o.Libraries) })}
}

// Methods are the names of accessibility and of Core Graphics' events.
func (d *Desktop) Methods() desktop.Methods {
	return desktop.Methods{Accessibility: source, Input: "cgevent", Pointer: "pointer"}
}

// source is the name of the source of elements.
const source = "ax"

// Prepare checks the permission before a program is started in vain.
func (d *Desktop) Prepare(context.Context, desktop.Environ) ([]string, error) {
	_, err := d.permitted()
	return nil, err
}

// permitted returns the library if this process may use accessibility.
func (d *Desktop) permitted() (*library, error) {
	l, err := d.load()
	if err != nil {
		return nil, err
	}
	return l, l.pooled(func() error {
		if !l.trusted(0) {
			return l.errUntrusted()
		}
		return nil
	})
}

// Open connects to a process. A process without a window can be opened; looks find its windows later.
func (d *Desktop) Open(ctx context.Context, pid int) (desktop.App, error) {
	if err := d.options.errNotOurs(pid); err != nil {
		return nil, err
	}
	l, err := d.permitted()
	if err != nil {
		return nil, err
	}
	a := &App{lib: l, pid: pid, options: d.options, lane: make(chan struct{}, 1), events: newEvents()}
	if err := a.do(ctx, a.connect); err != nil {
		_ = a.Close()
		return nil, err
	}
	return a, nil
}

// connect is called once, by Open.
func (a *App) connect() error {
	l := a.lib
	system := l.systemElement()
	l.setTimeout(system, float32(answerWithin.Seconds())) // of all elements of this process
	l.release(system)
	a.root = l.appElement(int32(a.pid))
	if a.root == 0 {
		return a.errSilent(false)
	}
	l.setTimeout(a.root, float32(answerWithin.Seconds()))
	a.attributes = l.texts(attributes)
	// Electron reports the elements of a page only with it; others refuse it. A process that does not answer now is observed once it
	// does.
	if l.setAttribute(a.root, l.name("AXManualAccessibility"), l.booleanTrue) != axCannotComplete {
		a.watch()
	}
	return nil
}

// App is a process. See desktop.App.
type App struct {
	lib     *library
	pid     int
	options Options
	events  *events

	lane       chan struct{} // full while a method works; guards the fields below
	root       ref
	attributes ref
	elements   elements
	observer   *observer
	watches    int // number of attempts to start an observer
	closed     bool
}

// do runs fn alone and on one thread.
func (a *App) do(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case a.lane <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-a.lane }()
	if a.closed {
		return errClosed
	}
	return a.lib.pooled(fn)
}

// on runs fn on the element with a key.
func (a *App) on(ctx context.Context, key string, fn func(e *element) error) error {
	return a.do(ctx, func() error {
		e := a.elements.byKey[key]
		if e == nil {
			return &desktop.GoneError{Key: key}
		}
		return fn(e)
	})
}

// Close ends the events and releases everything. It waits for a running method, which answerWithin bounds.
func (a *App) Close() error {
	a.lane <- struct{}{}
	defer func() { <-a.lane }()
	if a.closed {
		return nil
	}
	a.closed = true
	a.events.end()
	if a.observer != nil {
		a.observer.stop()
	}
	a.elements.clear(a.lib)
	for _, r := range []ref{a.root, a.attributes} {
		if r != 0 {
			a.lib.release(r)
		}
	}
	return nil
}

// near reports whether two frames are equal except for rounding.
func near(a, b ui.Rect) bool {
	const off = 1
	return abs(a.X-b.X) <= off && abs(a.Y-b.Y) <= off && abs(a.W-b.W) <= off && abs(a.H-b.H) <= off
}

func abs(f float64) float64 { return max(f, -f) }
