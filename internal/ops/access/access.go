// Package access leads an operation to its device: it finds the device that is meant, chooses its driver, checks that the session may drive
// it, and runs a look or a step in the device's lane. Every room that drives a device goes through Access, so that none can go round the
// lease. It has no operation and no answer of its own, and knows no room.
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
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/debugger"
)

// Access finds the device an operation is about, and runs the operation on it.
type Access struct {
	Pool      *pool.Pool
	Sessions  *session.Store
	Debuggers *debugger.Service
	Said      *streams.Manager
	Programs  *process.Sessions   // of desktops
	Getenv    func(string) string // of the daemon
	Drivers   []device.DriverSpec // that can be chosen, the usual one first
}

// Environ is the caller's environment, as far as it says which desktop is meant. Without these variables, use the daemon's desktop: a call
// over HTTP has no environment.
func (d Access) Environ(c *op.Call) func(string) string {
	if slices.ContainsFunc(desktop.Env(), func(name string) bool { return c.Env[name] != "" }) {
		return func(name string) string { return c.Env[name] }
	}
	return d.Getenv
}

// Do runs fn in the device's lane, under the session's lease when the operation changes anything. A session keeps the device that it
// chose, also when that turns out to be shut down or to have ended: the next call must not go to another one.
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
		err = fault.From(err).WithHint("boot it: `ios-agent boot --udid %s`, or choose another: `ios-agent use NAME`", h.Info().UDID)
	}
	return d.Pool.Explained(h, err)
}

// Change is do for what switches a device on or off.
func (d Access) Change(ctx context.Context, h *pool.Handle, fn func() error) error {
	defer d.Pool.Changed()
	return d.Away(ctx, h, fn)
}

// Away is do for what brings another screen because the session wants it: it is not told later what changed since the screen that
// it was shown before.
func (d Access) Away(ctx context.Context, h *pool.Handle, fn func() error) error {
	return d.Do(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Refs(func(r *ui.Refs) { r.Leave(h.Info().UDID) })
		}
		return fn()
	})
}

// driver is the session that drives the device with a handle; nil for one that only looks.
func (d Access) driver(h *pool.Handle) *session.Session {
	if name := h.Driver(); name != "" {
		return d.Sessions.Get(name)
	}
	return nil
}

// Device finds the device that is meant and notes it on the answer. It does not become the session's: one that is named is
// meant for this call.
func (d Access) Device(ctx context.Context, c *op.Call, t target.Target) (*pool.Handle, *session.Session, error) {
	h, s, err := d.Resolve(ctx, c, pool.Criteria{UDID: t.UDID, Name: t.Sim})
	if err == nil {
		if held, is := d.Debuggers.Paused(h.Info().UDID); is && d.guardMode(c) != config.GuardOff {
			c.Notify(op.Notice{Kind: op.Paused, Text: held.Held()})
		}
	}
	return h, s, err
}

// There is a fault when no device has an id. Nothing becomes of the device, and it need not be booted.
func (d Access) There(ctx context.Context, id string) error {
	if d.Pool == nil {
		return fault.New(fault.DeviceNotFound, "no device has the udid %q", id)
	}
	_, err := d.Pool.State(ctx, id)
	return err
}

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
	c.Outside = c.Outside || info.Type == device.TypeProcess // it is real, whatever Xcode is
	switch {
	case info.Type == device.TypeProcess: // it ends with its program, and was named by its number
	case c.Device != nil: // an operation goes on with the device that it has
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

// attached refuses to drive a program of a desktop that the session neither launched nor attached to. Who may type into a terminal may run
// anything: that is asked for once, by an operation that nobody approves beforehand. Looking is free.
func (d Access) attached(session string, info device.Info) error {
	if info.Type != device.TypeProcess {
		return nil
	}
	pid, _, _ := strings.Cut(strings.TrimPrefix(info.UDID, target.ProcessID), ":")
	if n, err := strconv.Atoi(pid); err == nil && d.Programs.Has(session, n) {
		return nil
	}
	return fault.New(fault.Forbidden, "this session has neither launched nor attached to %s (process %s)", info.Name, pid).
		WithDispatch(fault.NotDispatched).WithHint("attach to it first: `ios-agent app attach --pid %s`", pid)
}

// Use makes a device that a call named the session's. It is for calls after which one goes on with that device, when they
// have succeeded.
func (d Access) Use(c *op.Call, named target.Target, udid string) {
	if named != (target.Target{}) {
		d.Sessions.Get(c.Session).Use(session.Choice{UDID: udid, Name: c.Device.Name})
	}
}

// BootIfAble boots a device that can be booted.
func BootIfAble(ctx context.Context, h *pool.Handle) error {
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return nil // a driver that cannot boot reports by itself when the device is not on
	}
	return power.Boot(ctx)
}
