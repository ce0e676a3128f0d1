// Package world holds the state behind Virtual Xcode. A World has runtimes, device types, simulators that boot and shut down, installed and
// running apps, and the content of their screens. Front ends change and read it through its methods. It must not know which command line or
// protocol asks.
//
// Time comes from a Clock, state is kept in a Store, requests of apps go through a urlsession.Sender. With a Root it writes the folders of
// devices and apps below it, and with Reports the crash reports there; without them it touches no file. All movement depends on the clock's
// time only, so a world under RequestClock always gives the same answers to the same requests.
package world

import (
	"context"
	"errors"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/urlsession"
)

// Options configure a world. The zero value is a world in memory under the real clock.
type Options struct {
	Clock        Clock             // nil is RealClock
	Store        Store             // nil keeps the state in this process only
	Root         string            // CoreSimulator's home, with the devices' files below it; empty: paths without files
	Preinstalled []*app.Bundle     // apps that every iOS device has from the start
	Web          urlsession.Sender // sends the requests of apps; nil: they are offline
	Reports      string            // folder for crash reports, as in ~/Library/Logs/DiagnosticReports; empty: no reports
	// Runners are apps that run a test of their own after launch, by bundle id. Such an app runs as a test runner, not in front, and the
	// function is called with it. It must not call the world before it returns.
	Runners map[string]func(r *TestRunner, udid string, env map[string]string)
}

// World is a set of devices. Its methods may be called from any goroutine.
type World struct {
	clock        Clock
	store        Store
	root         string
	files        bool // whether the world may write below root
	preinstalled []*app.Bundle

	mu       sync.Mutex
	devices  []*device
	physical []*device
	byUDID   map[string]*device
	next     int      // number of the next device
	deleted  []string // UDIDs of deleted devices of the default set
	host     string   // the pasteboard of the Mac
	pairs    []pairing
	network  Network // of the Mac
	plan     flaw.Plan
	damaged  []string      // damaged entries of the Store, set aside by New
	changed  chan struct{} // closed and replaced after every change of a device's power

	launchers map[string]func(r *TestRunner, udid string, env map[string]string)

	driven  bool // time passes only as requests ask for it
	session *urlsession.Session
	reports string
}

// New makes a world and restores its state from the Store.
func New(o Options) (*World, error) {
	w := &World{clock: o.Clock, store: o.Store, root: o.Root, files: o.Root != "", preinstalled: o.Preinstalled,
		byUDID: map[string]*device{}, pairs: defaultPairs(), network: newNetwork(), changed: make(chan struct{}), reports: o.Reports,
		launchers: o.Runners}
	w.plan.Keep, w.plan.KeepChaos = w.saveShared, func() error { return w.keep(chaosKey, w.plan.Chaos) }
	if w.clock == nil {
		w.clock = RealClock()
	}
	_, w.driven = w.clock.(*requestClock)
	w.clock = &leaping{Clock: w.clock}
	w.session = urlsession.New(o.Web, w.clock.Now)
	if w.root == "" {
		w.root = defaultRoot
	}
	for _, m := range defaultDevices() {
		w.devices = append(w.devices, w.newDevice(m, w.next))
		w.next++
	}
	w.newPhysical()
	if err := w.restore(); err != nil {
		return nil, err
	}
	for _, d := range w.devices {
		w.byUDID[d.UDID] = d
	}
	return w, nil
}

// simulator finds a simulator by UDID. The caller holds the lock.
func (w *World) simulator(udid string) (*device, error) {
	if d := w.byUDID[udid]; d != nil {
		return d, nil
	}
	return nil, invalidDevice(udid)
}

// device finds a device by UDID, a simulator or a physical one. The caller holds the lock.
func (w *World) device(udid string) (*device, error) {
	for _, d := range w.physical {
		if d.UDID == udid {
			return d, nil
		}
	}
	return w.simulator(udid)
}

// act changes a booted device with f, saves it, and then lets cost pass. After f the change stays, even if ctx ends meanwhile: a touch
// cannot be undone.
func (w *World) act(ctx context.Context, udid string, cost time.Duration, f func(d *device, now time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.actNow(ctx, udid, f); err != nil {
		return err
	}
	return w.clock.Sleep(ctx, cost)
}

func (w *World) actNow(ctx context.Context, udid string, f func(d *device, now time.Time) error) error {
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return err
	}
	defer w.mu.Unlock()
	if err := w.mayShutDown(d, now); err != nil {
		return err
	}
	if err := f(d, now); err != nil {
		return errors.Join(err, w.saveIfDirty(d))
	}
	return w.save(d)
}

// notify wakes the callers that wait for a device's power to change. The caller holds the lock.
func (w *World) notify() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// Now is the world's time.
func (w *World) Now() time.Time { return w.clock.Now() }

// Sleep advances the world's time.
func (w *World) Sleep(ctx context.Context, d time.Duration) error { return w.clock.Sleep(ctx, d) }
