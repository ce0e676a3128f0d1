package world

import (
	"encoding/json"
	"fmt"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// Store keeps a world's state across runs of the program. Keys are made of letters, digits and dashes. The world
// saves after every change and before it answers, one call at a time.
type Store interface {
	Load() (map[string][]byte, error)
	Save(key string, state []byte) error
	Delete(key string) error
}

const worldKey = "world" // the entry of what belongs to no device

func (d *device) key() string { return "device-" + d.UDID }

// shared is the state that belongs to no device.
type shared struct{ Faults []Fault }

// save keeps d. The caller holds the lock. When the Store fails the change has been made but is not kept: the
// caller must know, so the error is returned although the world moved on.
func (w *World) save(d *device) error { return w.keep(d.key(), d) }

func (w *World) saveShared() error { return w.keep(worldKey, shared{Faults: w.faults}) }

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
	if err := decode(entries, worldKey, &s); err != nil {
		return err
	}
	w.faults = s.Faults
	for _, d := range w.devices {
		if err := w.restoreDevice(d, entries); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) restoreDevice(d *device, entries map[string][]byte) error {
	if entries[d.key()] == nil {
		return nil
	}
	d.Apps = nil // json would merge into the preinstalled ones
	if err := decode(entries, d.key(), d); err != nil {
		return err
	}
	if err := d.reload(); err != nil {
		return err
	}
	d.preinstall(w.preinstalled)
	d.revive()
	d.finish()
	return nil
}

// finish ends what was under way when the state was kept: the clock of this run may stand anywhere, even where the
// last one began.
func (d *device) finish() {
	d.Since = time.Time{}
	for _, p := range d.Running {
		p.Slide = slide{}
		p.Keyboard.Since = time.Time{}
	}
}

func decode(entries map[string][]byte, key string, into any) error {
	data, ok := entries[key]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("restore state %s: %w", key, err)
	}
	return nil
}

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

// revive keeps the processes that still fit their app and ends the others, whose definition has changed.
func (d *device) revive() {
	running := d.Running[:0]
	for _, p := range d.Running {
		if p == nil {
			continue
		}
		if i := d.installed(p.Bundle); i != nil && p.fits(i.bundle.App) {
			p.bundle = i.bundle
			running = append(running, p)
		}
	}
	d.Running = running
	if d.process(d.Front) == nil {
		d.Front = ""
	}
}
