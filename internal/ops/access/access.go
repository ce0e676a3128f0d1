package access

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/debugger"
)

// choose gives a device the driver that is to look at it and to touch it: the one that was chosen, else the usual one. Where the usual one
// has no eyes, a server that the user named and that answers is taken; what does not answer is told. A chosen driver is never replaced.
func (d Access) choose(ctx context.Context, c *op.Call, h *pool.Handle) (*pool.Handle, error) {
	if h.Info().Type == device.TypeProcess {
		return h, nil
	}
	wish, err := d.wish(c, h.Info())
	if err != nil {
		return nil, err
	}
	usual, sees := usualDriver(h.Device)
	switch {
	case wish.Driver != "" && wish.Driver != usual:
		return d.chosen(c, h, pool.Choice{Driver: wish.Driver, At: wish.At[wish.Driver]}, wish.Why)
	case wish.Driver == "" && !sees:
		return d.best(ctx, c, h, wish)
	}
	return d.lendWebs(h, wish)
}

// chosen gives a device a driver that is not its usual one, and notes on the answer which and why.
func (d Access) chosen(c *op.Call, h *pool.Handle, choice pool.Choice, why string) (*pool.Handle, error) {
	led, err := d.Pool.Choose(h, choice)
	if err != nil {
		return nil, err
	}
	if c.Device != nil {
		c.Device.Driver, c.Device.DrivenBecause = choice.Driver, why
	}
	return led, nil
}

// best gives a device without eyes the first server that the user named for it and that answers.
func (d Access) best(ctx context.Context, c *op.Call, h *pool.Handle, wish defaults.Wish) (*pool.Handle, error) {
	for _, a := range d.Pool.Alternates() {
		choice := pool.Choice{Driver: a.Name(), At: wish.At[a.Name()]}
		if choice.At == "" {
			continue
		}
		if !d.Pool.Chosen(h, choice) {
			if _, err := d.Pool.ProbeAlternate(ctx, choice); err != nil {
				text := fmt.Sprintf("%s is not driven by %s: %s", h.Info().Name, a.Name(), fault.From(err).Message)
				if d.Sessions.Get(c.Session).Untold(text) {
					c.Notify(op.Notice{Kind: op.Config, Text: text})
				}
				continue
			}
		}
		usual, _ := usualDriver(h.Device)
		return d.chosen(c, h, choice, fmt.Sprintf("%s does not see the screen now, and %s answers at %s", usual, a.Name(), choice.At))
	}
	return h, nil
}

// lendWebs lets a device look into web views through an Appium server that the user named, whoever drives it.
func (d Access) lendWebs(h *pool.Handle, wish defaults.Wish) (*pool.Handle, error) {
	at := wish.At[device.DriverAppium]
	if at == "" || !d.Pool.Drives(device.DriverAppium) {
		return h, nil
	}
	return d.Pool.Lend(h, pool.Choice{Driver: device.DriverAppium, At: at}, func(part device.Device) device.Device {
		webs, can := device.Has[device.Webs](part)
		if !can {
			return nil
		}
		return struct {
			device.Device
			device.Webs
		}{part, webs}
	})
}

// wish is which driver the caller wants for a device. A server on another machine is taken from the client's environment only: it is told
// what is typed, secrets too. A model cannot set that, nor can a command line that an agent may run without a question.
func (d Access) wish(c *op.Call, info device.Info) (defaults.Wish, error) {
	wish, err := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env).Driver(c.Instead, info)
	if err != nil {
		return wish, err
	}
	for driver, at := range wish.At {
		if at == "" || defaults.OfThisMachine(at) || strings.TrimSuffix(c.Env[variableOf(driver)], "/") == at {
			continue
		}
		if wish.Driver == driver {
			return wish, fault.New(fault.Forbidden, "the server of the driver %s is on another machine: %s", driver, at).
				WithDispatch(fault.NotDispatched).
				WithHint("it is told what is typed, so a person names it: set %s in the environment of the client", variableOf(driver))
		}
		delete(wish.At, driver)
	}
	return wish, nil
}

// DriverChecks say which driver drives the session's device, and why, and how the servers are that could.
func (d Access) DriverChecks(ctx context.Context, c *op.Call) []device.Check {
	store := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env)
	info, known := d.Pool.Last(d.Sessions.Get(c.Session).Device())
	wish, err := store.Driver(nil, info)
	if err != nil {
		return []device.Check{{Name: "driver", Status: "fail", Message: fault.From(err).Message, Hint: fault.From(err).Hint}}
	}
	whose, usual := "simulators", device.DriverXCTest
	if known {
		whose = info.Name
	}
	line := device.Check{Name: "driver", Status: "ok", Message: fmt.Sprintf("%s: %s, the usual one", whose, usual)}
	if wish.Driver != "" && wish.Driver != usual {
		line.Message = fmt.Sprintf("%s: %s; %s", whose, wish.Driver, wish.Why)
	}
	checks := []device.Check{line}
	for _, a := range d.Pool.Alternates() {
		checks = append(checks, d.alternate(ctx, a, wish))
	}
	return checks
}

// alternate says how the server of a driver is. One that nobody named is nothing to worry about.
func (d Access) alternate(ctx context.Context, a pool.Alternate, wish defaults.Wish) device.Check {
	at, chosen := wish.At[a.Name()], wish.Driver == a.Name()
	if at == "" && !chosen {
		return device.Check{Name: a.Name(), Status: "ok", Message: "not set up; nothing needs it",
			Hint: fmt.Sprintf("`ios-agent session-set-defaults --driver %s --%s URL` has it drive", a.Name(), flagOf(a.Name()))}

	}
	says, err := d.Pool.ProbeAlternate(ctx, pool.Choice{Driver: a.Name(), At: at})
	if err == nil {
		return device.Check{Name: a.Name(), Status: "ok", Message: says}
	}
	f := fault.From(err)
	if chosen {
		return device.Check{Name: a.Name(), Status: "fail", Message: f.Message, Hint: f.Hint}
	}
	return device.Check{Name: a.Name(), Status: "warn", Message: f.Message, Hint: f.Hint}
}

// Step runs fn with a step on the device, in its lane. The answer tells first what changed on the screen since the session was
// shown it: an effect of an earlier step may have come late. Nothing looks for that alone; it is the look that the step makes.
func (d Access) Step(ctx context.Context, l *Looking, fn func(act.Step) error) error {
	if err := d.held(l.Udid(), l.Call); err != nil {
		return err
	}
	return d.Do(ctx, l.Handle, func() error {
		err := fn(act.Step{Device: l.Handle.Device, Session: l.Session, Tell: l.Call.Progress, Seen: l.Saw})
		l.tell()
		if err == nil {
			l.Session.Showed(l.Udid())
		}
		return err
	})
}

// held is a fault when a debugger has paused an app of the device: it answers nobody, and to look at it would wait for nothing.
// Who wants to look all the same, and wait, says so with uiDebuggerGuardMode.
func (d Access) held(udid string, c *op.Call) error {
	app, is := d.Debuggers.Paused(udid)
	if !is || d.guardMode(c) != defaults.GuardError {
		return nil
	}
	f := fault.New(fault.AppPaused, "the app does not answer: it is paused, %s", app.Held()).With("debugger", app.ID).
		WithDispatch(fault.NotDispatched)
	if app.Session != c.Session {
		return f.WithHint("the session %q debugs it: wait until it is done, or use another device", app.Session)
	}
	return f
}

// guardMode is what the client wants of looks at a paused app.
func (d Access) guardMode(c *op.Call) string {
	set := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env).Setting(defaults.GuardMode())
	return cmp.Or(set, defaults.GuardError)
}

// Environ is the environment of who calls, as far as it says which desktop is meant. Who names none is on ours: a call over HTTP has no
// environment.
func Environ(c *op.Call) func(string) string {
	if slices.ContainsFunc(op.DesktopEnv(), func(name string) bool { return c.Env[name] != "" }) {
		return func(name string) string { return c.Env[name] }
	}
	return os.Getenv
}

// Access finds the device an operation is about, and runs the operation on it.
type Access struct {
	Pool      *pool.Pool
	Sessions  *session.Store
	Debuggers *debugger.Service
	Said      *streams.Manager
	Programs  *process.Sessions // of desktops
}

// Do runs fn in the device's lane, under the session's lease when the operation changes anything. A session keeps the device that it
// chose, also when that turns out to be shut down or to have ended: the next call must not go to another one.
func (d Access) Do(ctx context.Context, h *pool.Handle, fn func() error) error {
	err := d.Pool.Drive(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Drove(h.Info().UDID)
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
		if held, is := d.Debuggers.Paused(h.Info().UDID); is && d.guardMode(c) != defaults.GuardOff {
			c.Notify(op.Notice{Kind: op.Paused, Text: held.Held()})
		}
	}
	return h, s, err
}

func (d Access) Resolve(ctx context.Context, c *op.Call, which pool.Criteria) (*pool.Handle, *session.Session, error) {
	s := d.Sessions.Get(c.Session)
	s.From(c.Client, c.Dir)
	chosen, named := s.Choice(), which.UDID != "" || which.Name != ""
	if chosen.Lost() && !named {
		return nil, nil, Unserved(chosen, nil)
	}
	which.Current, which.Holder, which.Env = chosen.UDID, c.Session, Environ(c)
	h, err := d.Pool.Resolve(ctx, which)
	if err != nil && !named {
		err = Unserved(chosen, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info := h.Info()
	c.Outside = c.Outside || info.Type == device.TypeProcess // it is real, whatever Xcode is
	s.Saw(info.UDID)
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	drives := !c.Hints.Has(op.ReadOnly)
	if drives {
		if err := d.attached(c.Session, info); err != nil {
			return nil, nil, err
		}
		c.BeginStep()
	}
	if h, err = d.choose(ctx, c, h); err != nil {
		return nil, nil, err
	}
	return h.For(c.Session, drives), s, nil
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
