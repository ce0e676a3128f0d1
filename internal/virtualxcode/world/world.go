// Package world is the stateful virtual world behind Virtual Xcode: runtimes, device types, simulators with a
// boot state machine, installed and running apps, and what their screens show.
//
// It is a pure library: time comes from a Clock and state is kept through a Store. It must not know which
// command line or protocol asks. Everything that moves is a pure function of the clock's time, so a world
// under RequestClock answers the same questions the same way every time.
package world

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// Options say what a world is made of. The zero value is a world in memory under the real clock.
type Options struct {
	Clock        Clock         // nil is RealClock
	Store        Store         // nil keeps nothing beyond this process
	Root         string        // CoreSimulator's home, below which devices have their files; empty: paths, but no files
	Preinstalled []*app.Bundle // apps every iOS device has from the start
}

// World is a set of simulators. Its methods may be called from any goroutine.
type World struct {
	clock        Clock
	store        Store
	root         string
	files        bool // root may be written to
	preinstalled []*app.Bundle

	mu      sync.Mutex
	devices []*device
	byUDID  map[string]*device
	next    int      // number of the next device
	deleted []string // UDIDs of the default set that are no more
	host    string   // the pasteboard of the Mac
	pairs   []pairing
	faults  []Fault
	changed chan struct{} // closed and replaced whenever a device's power changes
}

// New makes a world and restores what the Store has of it.
func New(o Options) (*World, error) {
	w := &World{clock: o.Clock, store: o.Store, root: o.Root, files: o.Root != "", preinstalled: o.Preinstalled,
		byUDID: map[string]*device{}, pairs: defaultPairs(), changed: make(chan struct{})}
	if w.clock == nil {
		w.clock = RealClock()
	}
	if w.root == "" {
		w.root = defaultRoot
	}
	for _, m := range defaultDevices() {
		w.devices = append(w.devices, w.newDevice(m, w.next))
		w.next++
	}
	if err := w.restore(); err != nil {
		return nil, err
	}
	for _, d := range w.devices {
		w.byUDID[d.UDID] = d
	}
	return w, nil
}

// device finds a device by UDID. The caller holds the lock.
func (w *World) device(udid string) (*device, error) {
	if d := w.byUDID[udid]; d != nil {
		return d, nil
	}
	return nil, invalidDevice(udid)
}

// booted finds a device that must be usable. The caller holds the lock.
func (w *World) booted(udid string, now time.Time) (*device, error) {
	d, err := w.device(udid)
	if err != nil {
		return nil, err
	}
	if s := d.stateAt(now); s != Booted {
		return nil, wrongState("lookup", s)
	}
	return d, nil
}

// act changes a booted device with f, saves it, and then lets cost pass. Once f has run the change stands, even
// if ctx ends meanwhile: a finger that touched the glass has touched it.
func (w *World) act(ctx context.Context, udid string, cost time.Duration, f func(d *device, now time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.actNow(udid, f); err != nil {
		return err
	}
	return w.clock.Sleep(ctx, cost)
}

func (w *World) actNow(udid string, f func(d *device, now time.Time) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	d, err := w.booted(udid, now)
	if err != nil {
		return err
	}
	if err := f(d, now); err != nil {
		return err
	}
	return w.save(d)
}

// notify wakes those who wait for a device's power to change. The caller holds the lock.
func (w *World) notify() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// Now is the world's time.
func (w *World) Now() time.Time { return w.clock.Now() }

// Sleep lets the world's time pass.
func (w *World) Sleep(ctx context.Context, d time.Duration) error { return w.clock.Sleep(ctx, d) }
