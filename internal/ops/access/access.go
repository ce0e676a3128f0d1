// Package access takes an operation to its device. Access finds the device that a call names, chooses its driver, checks that the session
// may drive it, and runs a look or a step in the device's lane. Every operation package that drives a device uses Access, so none of them
// can bypass the lease. This package defines no operations and no answers, and imports no operation package but target.
package access

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/naming"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/debugger"
)

// Access finds the device that an operation is about, and runs the operation on it.
type Access struct {
	Pool      *pool.Pool
	Sessions  *session.Store
	Debuggers *debugger.Service
	Said      *streams.Manager
	Programs  *process.Sessions   // of desktops
	Getenv    func(string) string // of the daemon
	Drivers   []device.DriverSpec // the drivers to choose from, the usual one first
}

// Environ is the part of the caller's environment that names a desktop. Without these variables, it is the daemon's environment: a call
// over HTTP has none of its own.
func (d Access) Environ(c *op.Call) func(string) string {
	if slices.ContainsFunc(desktop.Env(), func(name string) bool { return c.Env[name] != "" }) {
		return func(name string) string { return c.Env[name] }
	}
	return d.Getenv
}

// Do runs fn in the device's lane, under the session's lease when the operation changes anything. A session keeps the device that it
// chose even if the device is shut down or its process has ended: the next call must not go to another device.
func (d Access) Do(ctx context.Context, h *pool.Handle, fn func() error) error {
	err := d.Pool.Drive(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Drove(h.Info().UDID)
			d.hearAgain(h)
		}
		return fn()
	})
	if fault.Is(err, fault.DeviceNotBooted) {
		d.Pool.Forgo(ctx, h)
		err = fault.From(err).WithHint("boot it with %s; choose another device with %s",
			hint.Do("boot_device", "udid", h.Info().UDID), hint.Do("use_device", "device", "NAME"))
	}
	return d.Pool.Explained(h, err)
}

// Change is Do for an operation that switches a device on or off.
func (d Access) Change(ctx context.Context, h *pool.Handle, fn func() error) error {
	defer d.Pool.Changed()
	return d.Away(ctx, h, fn)
}

// Away is Do for an operation that replaces the screen on purpose. The next look of the session does not report what changed since the
// previous screen.
func (d Access) Away(ctx context.Context, h *pool.Handle, fn func() error) error {
	return d.Do(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Refs(func(r *ui.Refs) { r.Leave(h.Info().UDID) })
		}
		return fn()
	})
}

// driver is the session that drives the device of a handle; nil if the handle only looks.
func (d Access) driver(h *pool.Handle) *session.Session {
	if name := h.Driver(); name != "" {
		return d.Sessions.Get(name)
	}
	return nil
}

// Device finds the device of a call and notes it on the answer. A device that the call names is for this call only: the session's device
// stays the same.
func (d Access) Device(ctx context.Context, c *op.Call, t target.Target) (*pool.Handle, *session.Session, error) {
	h, s, err := d.Resolve(ctx, c, pool.Criteria{UDID: t.UDID, Name: t.Sim})
	if err == nil {
		if held, is := d.Debuggers.Paused(h.Info().UDID); is && d.guardMode(c) != config.GuardOff {
			c.Notify(op.Notice{Kind: op.Paused, Text: held.Held()})
		}
	}
	return h, s, err
}

// There returns a fault if no device has this udid. It does not touch the device, which may be shut down.
func (d Access) There(ctx context.Context, id string) error {
	if d.Pool == nil {
		return fault.New(fault.DeviceNotFound, "no device with the udid %q", id)
	}
	_, err := d.Pool.State(ctx, id)
	return err
}

// Resolve finds the device of a call, notes it on the answer, and gives it the driver that the call, the session or the project chose.
func (d Access) Resolve(ctx context.Context, c *op.Call, which pool.Criteria) (*pool.Handle, *session.Session, error) {
	s := d.Sessions.Get(c.Session)
	s.From(c.Client, c.Dir)
	chosen, named := s.Choice(), which.UDID != "" || which.Name != ""
	if chosen.Lost() && !named {
		return nil, nil, Unserved(chosen, nil)
	}
	which.Current, which.Holder, which.Env = chosen.UDID, c.Session, d.Environ(c)
	h, err := d.Pool.Resolve(ctx, which)
	if err != nil && !named {
		err = Unserved(chosen, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info := h.Info()
	c.Outside = c.Outside || info.Type == device.TypeProcess // the process is real even with Virtual Xcode
	switch {
	case info.Type == device.TypeProcess: // the device ends with its process, and the call named it by its pid
	case c.Device != nil: // the operation continues with the device that it found before
	case named:
		c.Note(naming.Named{})
	case chosen == (session.Choice{}) && d.Pool.Rivals(info.UDID):
		c.Note(naming.Guessed{})
	}
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	drives := !c.Hints.Has(op.ReadOnly)
	if drives {
		if err := d.attached(c.Session, info); err != nil {
			return nil, nil, err
		}
		c.Act()
	}
	if h, err = d.choose(ctx, c, h); err != nil {
		return nil, nil, err
	}
	return h.For(c.Session, drives).Leased(func(epoch uint64) { c.Epoch = epoch }), s, nil
}

// attached refuses to drive a desktop program that the session neither launched nor attached to. A session that types into a terminal can
// run any command, so the user approves that once: the operation that attaches always asks for approval. Looking needs none.
func (d Access) attached(session string, info device.Info) error {
	if info.Type != device.TypeProcess {
		return nil
	}
	pid, _, _ := strings.Cut(strings.TrimPrefix(info.UDID, target.ProcessID), ":")
	n, err := strconv.Atoi(pid)
	if err == nil && d.Programs.Has(session, n) {
		return nil
	}
	return fault.New(fault.Forbidden, "this session has neither launched nor attached to %s (process %s)", info.Name, pid).
		WithDispatch(fault.NotDispatched).WithHint("attach to it first: %s", hint.Do("desktop_debug_attach", "pid", n))
}

// Use makes the device that a call named the session's device. It is for calls that succeeded and that start work on a device, such as
// installing an app.
func (d Access) Use(c *op.Call, named target.Target, udid string) {
	if named != (target.Target{}) {
		d.Sessions.Get(c.Session).Use(session.Choice{UDID: udid, Name: c.Device.Name})
	}
}

// BootIfAble boots the device if its driver can boot devices.
func BootIfAble(ctx context.Context, h *pool.Handle) error {
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return nil // the next command of such a driver reports a device that is off
	}
	return power.Boot(ctx)
}
