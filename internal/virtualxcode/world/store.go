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

// Store keeps a world's state across runs of the program. Keys are made of letters, digits and dashes. The world
// saves after every change and before it answers, one call at a time.
type Store interface {
	Load() (map[string][]byte, error)
	Save(key string, state []byte) error
	Delete(key string) error
	// SetAside takes an entry that cannot be read out of the way. Its content is kept for a person.
	SetAside(key string) error
}

const worldKey = "world" // the entry of what belongs to no device

const devicePrefix = "device-"

func (d *device) key() string {
	if d.hardware != nil {
		return physicalPrefix + d.UDID
	}
	return devicePrefix + d.UDID
}

// shared is the state that belongs to no device.
type shared struct {
	Faults  []flaw.Fault
	Profile string   `json:",omitempty"`
	Next    int      // number of the next device
	Deleted []string // UDIDs of the default set that are no more
	Host    string   // the pasteboard of the Mac
	Pairs   []pairing
	Network *Network `json:",omitempty"` // of the Mac
}

// save keeps d. The caller holds the lock. When the Store fails the change has been made but is not kept: the error tells
// the caller.
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

// forget removes what is kept of a device that is no more. It is first written down as deleted: a device of the
// default set would come back otherwise.
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
	if s.Pairs != nil { // older states have none
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

// restoreMade adds the devices someone made to those every world has, in the order they were made.
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
		w.next = max(w.next, d.Number+1) // the number was kept before the device; this is for stores made by hand
	}
	slices.SortFunc(w.devices, func(a, b *device) int { return cmp.Compare(a.Number, b.Number) })
	return nil
}

// restoreDevice gives d the state that is kept of it. A state that cannot be read leaves a device of the default set as new.
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

// finish ends what was under way when the state was kept: the clock of this run may show any time, also an earlier one.
func (d *device) finish() {
	d.Since = time.Time{}
	for _, p := range d.Running {
		p.Slide = slide{}
		p.Keyboard.Since = time.Time{}
		p.failCalls()
	}
}

// decode reads an entry; without one it leaves into as it is. ok is false when the entry was damaged and is set aside: one bad
// file must not stop the whole world.
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

// Damaged says which entries of the Store could not be read and are set aside, and why.
func (w *World) Damaged() []string { return w.damaged }

// reload reads the definitions of the apps someone installed. Preinstalled ones come with this program, not from
// the Store, which may be older.
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

// keepFitting keeps the processes that still fit their app and ends those whose app's definition has changed.
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
