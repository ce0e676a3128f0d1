package world

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/uuid"
)

// Create makes a device and returns its UDID. Type and runtime may be ids or names; without a runtime it takes the newest compatible
// one.
func (w *World) Create(ctx context.Context, name, deviceType, runtime string) (udid string, err error) {
	t, err := typeCalled(deviceType)
	if err != nil {
		return "", err
	}
	r, err := w.RuntimeFor(t, runtime)
	if err != nil {
		return "", err
	}
	return w.add(ctx, func(number int) (*device, error) {
		return w.newDevice(made{newUDID(number), name, t.ID, r.ID}, number), nil
	})
}

// RuntimeFor is the runtime of a new device of type t: the requested one, or the newest compatible one.
func (w *World) RuntimeFor(t DeviceType, name string) (Runtime, error) {
	if name == "" {
		return newestFor(t)
	}
	r, err := runtimeCalled(name)
	if err != nil {
		return r, err
	}
	if r.Unavailable != "" {
		return r, invalidRuntime(name)
	}
	if !r.Runs(t) {
		return r, incompatible()
	}
	return r, nil
}

// Type finds a device type by id or name.
func (w *World) Type(name string) (DeviceType, error) { return typeCalled(name) }

// add makes a device with the next number and saves it.
func (w *World) add(ctx context.Context, make func(number int) (*device, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := make(w.next)
	if err != nil {
		return "", err
	}
	w.next++
	w.devices = append(w.devices, d)
	w.byUDID[d.UDID] = d
	if err := w.saveShared(); err != nil { // the number first: it must not be given twice
		return "", err
	}
	return d.UDID, w.save(d)
}

// newUDID is a UUID that looks random but depends on the number only, so that worlds are repeatable.
func newUDID(number int) string { return uuid.Of("device", fmt.Sprint(number)) }

// Clone copies a device that is shut down, with its apps, settings and files.
func (w *World) Clone(ctx context.Context, udid, name string) (string, error) {
	return w.add(ctx, func(number int) (*device, error) {
		from, err := w.simulator(udid)
		if err != nil {
			return nil, err
		}
		if s := from.stateAt(w.clock.Now()); s != Shutdown {
			return nil, wrongState("clone device", s)
		}
		d := w.newDevice(made{newUDID(number), name, from.TypeID, from.RuntimeID}, number)
		d.Removed, d.Settings = slices.Clone(from.Removed), from.Settings.clone()
		d.Apps = nil
		for _, i := range from.Apps {
			same := *i
			d.Apps = append(d.Apps, &same)
		}
		return d, w.copyFolder(from, d)
	})
}

// Rename gives a device another name.
func (w *World) Rename(ctx context.Context, udid, name string) error {
	return w.alter(ctx, udid, func(d *device, _ time.Time) error {
		d.Name = name
		return nil
	})
}

// Upgrade gives a device that is shut down a newer runtime.
func (w *World) Upgrade(ctx context.Context, udid, runtime string) error {
	r, err := runtimeCalled(runtime)
	if err != nil {
		return err
	}
	return w.alter(ctx, udid, func(d *device, now time.Time) error {
		if s := d.stateAt(now); s != Shutdown {
			return wrongState("upgrade device", s)
		}
		was := w.describe(d, now)
		if r.Unavailable != "" || !r.Runs(was.Type) || older(r.Version, was.Runtime.Version) {
			return incompatible()
		}
		d.RuntimeID, d.runtime = r.ID, r
		return nil
	})
}

// Erase resets a device that is shut down, and restores preinstalled apps.
func (w *World) Erase(ctx context.Context, udid string) error {
	return w.alter(ctx, udid, func(d *device, now time.Time) error {
		if s := d.stateAt(now); s != Shutdown {
			return wrongState("erase contents and settings", s)
		}
		d.LastBooted, d.Settings, d.Removed = time.Time{}, Settings{}, nil
		d.Apps, d.Outputs = nil, nil
		d.preinstall(w.preinstalled)
		if err := w.forgetLogs(d); err != nil {
			return err
		}
		return w.removeFolder(d)
	})
}

// Delete removes a device, also a booted one.
func (w *World) Delete(ctx context.Context, udid string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil {
		return err
	}
	d.switchTo(false, w.clock.Now())
	w.devices = slices.DeleteFunc(w.devices, func(other *device) bool { return other == d })
	delete(w.byUDID, d.UDID)
	d.tell()
	w.notify()
	if slices.ContainsFunc(defaultDevices(), func(m made) bool { return m.udid == d.UDID }) {
		w.deleted = append(w.deleted, d.UDID)
	}
	if err := w.forget(d); err != nil {
		return err
	}
	return w.removeFolder(d)
}

// alter changes a device in any state and saves it.
func (w *World) alter(ctx context.Context, udid string, f func(d *device, now time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil {
		return err
	}
	if err := f(d, w.clock.Now()); err != nil {
		return err
	}
	return w.save(d)
}

// folder is the folder of a device's files.
func (w *World) folder(d *device) string { return path.Join(w.root, "Devices", d.UDID) }

// removeFolder removes the files of a device, in a world with files.
func (w *World) removeFolder(d *device) error {
	if !w.files {
		return nil
	}
	return os.RemoveAll(w.folder(d))
}

func (w *World) copyFolder(from, to *device) error {
	if _, err := os.Stat(w.folder(from)); !w.files || err != nil {
		return nil // a world without files
	}
	return os.CopyFS(w.folder(to), os.DirFS(w.folder(from)))
}
