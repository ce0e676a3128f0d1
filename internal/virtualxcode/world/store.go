package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
)

// Store keeps a world's state across runs of the program. Keys consist of letters, digits and dashes. The world saves after every
// change and before it answers, one call at a time.
type Store interface {
	Load() (map[string][]byte, error)
	Save(key string, state []byte) error
	Delete(key string) error
	// SetAside moves a damaged entry away. Its content stays for a person to inspect.
	SetAside(key string) error
}

const worldKey = "world" // the key of the shared state

const devicePrefix = "device-"

func (d *device) key() string {
	if d.hardware != nil {
		return physicalPrefix + d.UDID
	}
	return devicePrefix + d.UDID
}

// shared is the state that belongs to no single device.
type shared struct {
	Faults  []flaw.Fault
	Profile string   `json:",omitempty"`
	Next    int      // number of the next device
	Deleted []string // UDIDs of deleted devices of the default set
	Host    string   // the pasteboard of the Mac
	Pairs   []pairing
	Network *Network `json:",omitempty"` // of the Mac
}

// save saves d. The caller holds the lock. If the Store fails, the change stays in memory, and the caller gets the error.
func (w *World) save(d *device) error {
	if err := w.keep(d.key(), d); err != nil {
		return err
	}
	d.dirty = false
	return w.saveLogs(d)
}

func (w *World) saveShared() error {
	return w.keep(worldKey, shared{Faults: w.plan.Armed, Profile: w.plan.Profile, Next: w.next, Deleted: w.deleted, Host: w.host,
		Pairs: w.pairs, Network: &w.network})
}

// forget removes a deleted device from the Store. It first records the deletion, because a device of the default set would otherwise
// come back.
func (w *World) forget(d *device) error {
	if w.store == nil {
		return nil
	}
	if err := w.saveShared(); err != nil {
		return err
	}
	if err := w.forgetLogs(d); err != nil {
		return err
	}
	if err := w.store.Delete(d.key()); err != nil {
		return fmt.Errorf("delete state %s: %w", d.key(), err)
	}
	return nil
}

func (w *World) keep(key string, state any) error {
	if w.store == nil {
		return nil
	}
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	if err := w.store.Save(key, data); err != nil {
		return fmt.Errorf("keep state %s: %w", key, err)
	}
	return nil
}

func (w *World) restore() error {
	if w.store == nil {
		return nil
	}
	entries, err := w.store.Load()
	if err != nil {
		return fmt.Errorf("restore the world: %w", err)
	}
	var s shared
	if ok, err := w.decode(entries, worldKey, &s); err != nil {
		return err
	} else if !ok {
		s = shared{}
	}
	if ok, err := w.decode(entries, chaosKey, &w.plan.Chaos); err != nil {
		return err
	} else if !ok {
		w.plan.Chaos = flaw.Chaos{}
	}
	w.plan.Profile = s.Profile
	w.plan.Armed, w.deleted, w.host, w.next = s.Faults, s.Deleted, s.Host, max(w.next, s.Next)
	if s.Pairs != nil { // older states lack this
		w.pairs = s.Pairs
	}
	if s.Network != nil {
		w.network = *s.Network
	}
	w.devices = slices.DeleteFunc(w.devices, func(d *device) bool { return slices.Contains(s.Deleted, d.UDID) })
	if err := w.restoreMade(entries); err != nil {
		return err
	}
	for _, d := range slices.Concat(w.devices, w.physical) {
		if err := w.restoreDevice(d, entries); err != nil {
			return err
		}
	}
	return nil
}

// restoreMade restores the created devices, in order of creation.
func (w *World) restoreMade(entries map[string][]byte) error {
	known := slices.Clone(w.deleted)
	for _, d := range w.devices {
		known = append(known, d.UDID)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		udid, ok := strings.CutPrefix(key, devicePrefix)
		if !ok || slices.Contains(known, udid) {
			continue
		}
		d := &device{}
		ok, err := w.decode(entries, key, d)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		w.devices = append(w.devices, &device{identity: identity{UDID: udid, Number: d.Number}})
		w.next = max(w.next, d.Number+1) // the number was saved before the device; this is for stores written by hand
	}
	slices.SortFunc(w.devices, func(a, b *device) int { return cmp.Compare(a.Number, b.Number) })
	return nil
}

// restoreDevice restores the state of d. If the state is unreadable, a device of the default set stays as new.
func (w *World) restoreDevice(d *device, entries map[string][]byte) error {
	if err := w.restoreLogs(d, entries); err != nil {
		return err
	}
	if entries[d.key()] == nil {
		return nil
	}
	plain := *d
	*d = device{identity: plain.identity, systemState: systemState{logs: plain.logs}} // json merges
	ok, err := w.decode(entries, plain.key(), d)
	if err != nil {
		return err
	}
	if ok {
		w.equip(d)
		if bad := d.reload(); bad != nil {
			ok, err = false, w.setAside(entries, plain.key(), bad)
		}
	}
	if !ok {
		*d = plain
		return err
	}
	d.preinstall(w.preinstalled)
	d.keepFitting()
	d.finish()
	return nil
}

// finish ends activities of the saved state: the clock of this run may show any time, also an earlier one.
func (d *device) finish() {
	d.Since = time.Time{}
	for _, p := range d.Running {
		p.Slide = slide{}
		p.Keyboard.Since = time.Time{}
		p.failCalls()
	}
}

// decode reads an entry; a missing entry leaves into unchanged. ok is false if the entry was damaged and set aside: one bad file must
// not stop the whole world.
func (w *World) decode(entries map[string][]byte, key string, into any) (ok bool, err error) {
	data, there := entries[key]
	if !there {
		return true, nil
	}
	if bad := json.Unmarshal(data, into); bad != nil {
		return false, w.setAside(entries, key, bad)
	}
	return true, nil
}

func (w *World) setAside(entries map[string][]byte, key string, bad error) error {
	if err := w.store.SetAside(key); err != nil {
		return fmt.Errorf("restore state %s: %w; setting it aside: %w", key, bad, err)
	}
	delete(entries, key)
	w.damaged = append(w.damaged, fmt.Sprintf("%s: %v", key, bad))
	return nil
}

// Damaged lists the entries of the Store that were set aside as unreadable, with the reason.
func (w *World) Damaged() []string { return w.damaged }

// reload reads the definitions of installed apps. Preinstalled apps come with this program, because the Store may have older versions.
func (d *device) reload() error {
	kept := d.Apps[:0]
	for _, i := range d.Apps {
		if i == nil || i.Preinstalled {
			continue
		}
		b, err := app.Load(i.Folder, i.Info, i.UI)
		if err != nil {
			return fmt.Errorf("restore the app at %s: %w", i.Path, err)
		}
		i.bundle = b
		kept = append(kept, i)
	}
	d.Apps = kept
	return nil
}

// keepFitting keeps the processes that fit their app and ends the processes of changed apps.
func (d *device) keepFitting() {
	running := d.Running[:0]
	for _, p := range d.Running {
		if p == nil {
			continue
		}
		if i := d.installed(p.Bundle); i != nil && p.fits(i.bundle.App) {
			p.bundle, p.on, p.flaws = i.bundle, d, d.flaws
			running = append(running, p)
		}
	}
	d.Running = running
	d.Prompts = slices.DeleteFunc(d.Prompts, func(q prompt) bool {
		p := d.process(q.Bundle)
		return p == nil || q.Ask >= len(p.bundle.App.Asks)
	})
	if d.process(d.Front) == nil {
		d.Front = ""
	}
}
