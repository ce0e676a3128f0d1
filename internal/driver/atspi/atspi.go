// Package atspi is the desktop of Linux: it reads windows through AT-SPI2 over D-Bus, and drives mouse and keyboard of an X server
// through XTEST, without C code. Its main types are Desktop and App. It must not trust the bus: other programs write there, and every
// answer may be wrong, late or missing.
package atspi

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
)

var (
	_ desktop.Desktop = (*Desktop)(nil)
	_ desktop.App     = (*App)(nil)
)

// Options of a Desktop. The zero value works.
type Options struct {
	Log    *slog.Logger
	Getenv func(string) string // the daemon's environment; nil: os.Getenv
	// Dial connects to a bus; nil: by its address, with authentication.
	Dial func(ctx context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error)
	// Answer is how long one call may take (default 3 s). Patience is how long Open waits for a process to appear on the bus (default 3
	// s).
	Answer, Patience time.Duration

	// cacheWait is how long to wait for the cache of GTK 3 after the registration of events.
	cacheWait time.Duration
	// blind opens apps without a display; windows replaces the display's answer. Only tests without an X server set them.
	blind   bool
	windows []xwindow
}

// Source is the name of the source of elements.
const Source = "atspi"

// Desktop opens processes.
type Desktop struct{ o Options }

// New makes a desktop without connecting.
func New(o Options) *Desktop {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Dial == nil {
		o.Dial = dial
	}
	if o.Answer == 0 {
		o.Answer = 3 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 3 * time.Second
	}
	if o.cacheWait == 0 {
		o.cacheWait = 600 * time.Millisecond
	}
	return &Desktop{o}
}

// Methods of Linux.
func (d *Desktop) Methods() desktop.Methods {
	return desktop.Methods{Accessibility: Source, Input: "xtest"}
}

// Open connects to a process, on its own display and bus.
func (d *Desktop) Open(ctx context.Context, pid int) (desktop.App, error) {
	if err := allowed(pid); err != nil {
		return nil, err
	}
	start, err := processes.StartTime(pid)
	if err != nil {
		return nil, notRunning(pid)
	}
	a := &App{d: d, pid: pid, start: start}
	if err := a.open(ctx, environOf(pid, d.o.Getenv)); err != nil {
		a.Close()
		if !processes.Alive(pid, start) { // its former fault no longer matters
			return nil, notRunning(pid)
		}
		return nil, err
	}
	return a, nil
}

// allowed refuses a dead process, and a process of another user. Root may drive all.
func allowed(pid int) error {
	if pid <= 0 {
		return fault.New(fault.InvalidInput, "invalid process id %d", pid).With("field", "pid").WithHint("use a process id above 0")
	}
	info, err := processes.Inspect(pid)
	switch us := os.Geteuid(); {
	case errors.Is(err, fs.ErrNotExist):
		return notRunning(pid)
	case err != nil:
		return err
	case info.User != us && us != 0:
		return fault.New(fault.Forbidden, "process %d belongs to another user", pid).
			WithHint("start the program as the user who runs ios-agent")
	}
	return nil
}

// App is a process with windows.
type App struct {
	d     *Desktop
	pid   int
	start string

	at      place
	bus     *bus
	screen  *display // nil when blind
	heard   heard
	names   map[string]*application // by name on the bus
	others  map[string]bool         // whether a bus name of an element belongs to a child of this process
	seen    map[string]seen         // elements of the last look by key
	noted   []window                // the windows of the last look
	lay     []xwindow               // windows of the process on the screen at that look, back to front
	looked  bool                    // a look has happened
	actions map[ref]did             // of the elements of the last look
	lent    lent
}

// open finds display and bus, and the process on the bus.
func (a *App) open(ctx context.Context, env environ) error {
	a.names, a.others = map[string]*application{}, map[string]bool{}
	a.heard.gens = map[ref]uint32{}
	at := env.place()
	a.at = at
	if !a.d.o.blind {
		if at.display == "" {
			return noDisplay(a.pid, at.wayland)
		}
		screen, err := openDisplay(ctx, at)
		if err != nil {
			return err
		}
		a.screen = screen
	}
	b, err := a.d.accessibility(ctx, at, a.screen, &a.heard)
	if err != nil {
		return err
	}
	a.bus = b
	if err := a.bus.registerEvents(ctx); err != nil {
		return a.explain(err)
	}
	if err := a.await(ctx); err != nil {
		return err
	}
	if at.wayland != "" && a.screen != nil {
		return a.onlyWayland(ctx)
	}
	return nil
}

// onlyWayland refuses a process with windows on the accessibility bus and none on the X server.
func (a *App) onlyWayland(ctx context.Context) error {
	tree, err := a.Look(ctx, desktop.Limits{Depth: 1})
	if err != nil || len(tree.Windows) == 0 {
		return err
	}
	if own, err := a.screen.windows(a.pid); err == nil && len(own) == 0 {
		return noDisplay(a.pid, a.screen.name)
	}
	return nil
}

// Close ends the connections. The process keeps running.
func (a *App) Close() error {
	for _, p := range a.names {
		p.hangUp()
	}
	if a.bus != nil {
		a.bus.close()
	}
	if a.screen != nil {
		a.lent.undo(a.screen)
		a.screen.close()
	}
	a.heard.end()
	return nil
}

// Prepare starts the accessibility bus of an environment, enables it, and returns the variables that make toolkits use it.
func (d *Desktop) Prepare(ctx context.Context, env desktop.Environ) (more []string, err error) {
	at := environ{get: env}.place()
	noScreen := at.display == "" && !d.o.blind
	switch {
	case noScreen && at.wayland == "" && at.session == "":
		return nil, noPlace()
	case noScreen:
		return nil, noDisplay(0, at.wayland)
	case at.session == "":
		return nil, noSession()
	}
	session, err := d.connect(ctx, at.session, nil)
	if err != nil {
		return nil, noSession().With("session_bus", err.Error())
	}
	defer session.close()
	answer, err := session.call(ctx, a11yBus, "org.a11y.Bus.GetAddress")
	if err != nil {
		return nil, noAccessibility(err)
	}
	on, err := session.call(ctx, a11yBus, getProperty, "org.a11y.Status", "IsEnabled")
	if err != nil || !truth(on) {
		if _, err := session.call(ctx, a11yBus, setProperty, "org.a11y.Status", "IsEnabled", dbus.MakeVariant(true)); err != nil {
			return nil, noAccessibility(err)
		}
	}
	address, _ := unwrapped(answer).(string)
	if err := d.wake(ctx, address); err != nil {
		return nil, err
	}
	if !d.o.blind {
		return variables(address), announce(ctx, at, address)
	}
	return variables(address), nil
}

// announce writes the bus's address to the X server, as the bus itself does some time after its start: without it, Qt 5 sometimes
// registers before it is connected, and then never again.
func announce(ctx context.Context, at place, address string) error {
	screen, err := openDisplay(ctx, at)
	if err != nil {
		return err
	}
	defer screen.close()
	defer screen.within(longestX)()
	if screen.rootText(rootBus) == address {
		return nil
	}
	return xproto.ChangePropertyChecked(screen.conn, xproto.PropModeReplace, screen.root, screen.atoms[rootBus], xproto.AtomString, 8,
		uint32(len(address)), []byte(address)).Check()
}

// wake starts the registry of an accessibility bus: the registry misses a Qt program that comes while it starts.
func (d *Desktop) wake(ctx context.Context, address string) error {
	b, err := d.connect(ctx, address, nil)
	if err != nil {
		return noAccessibility(err)
	}
	defer b.close()
	if _, err := b.call(ctx, programs, accessible+".GetChildren"); err != nil {
		return noAccessibility(err)
	}
	return nil
}

// variables enable accessibility in GTK, Qt, and in Chromium and programs based on it.
func variables(address string) []string {
	return []string{"AT_SPI_BUS_ADDRESS=" + address, "NO_AT_BRIDGE=0", "QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"}
}
