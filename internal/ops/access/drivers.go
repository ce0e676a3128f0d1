package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

// driverFlags choose the driver for one call on a command line. Every verb that is about a device has them. MCP tools do not: a model sets
// the session's default once.
func driverFlags(drivers []device.DriverSpec) []op.Short {
	const about = "udid"
	var names []string
	flags := []op.Short{{Flag: config.KeyDriver, Default: config.KeyDriver, Needs: about}}
	for _, d := range drivers {
		names = append(names, d.Name)
		if d.Server != "" {
			flags = append(flags, op.Short{Flag: d.URLFlag(), Default: d.URLKey(), Needs: about, Elsewhere: namedElsewhere(d),
				Doc: "URL of " + d.Server})
		}
	}
	flags[0].Doc = "driver for the device: " + strings.Join(names, ", ")
	return flags
}

// namedElsewhere says how a person sets the address of a driver's server.
func namedElsewhere(d device.DriverSpec) string {
	return fmt.Sprintf("name the server for the session: %s, or set %s in the environment of the client",
		hint.Do("session_set_defaults", "driver", d.Name, d.URLKey(), "URL"), choice.Variable(d))
}

// WithDriverFlags adds the driver flags to operations. A flag takes effect only where the operation has an input for a device.
func WithDriverFlags(drivers []device.DriverSpec, all []op.Op) []op.Op {
	flags := driverFlags(drivers)
	for i := range all {
		if slices.ContainsFunc(all[i].Short, func(s op.Short) bool { return s.Default == config.KeyDriver }) {
			continue // this operation is in two families and already has the flags
		}
		all[i].Short = append(slices.Clip(all[i].Short), flags...)
	}
	return all
}

// Usual is the driver of simulators when none is chosen: the first in the table.
func (d Access) Usual() string {
	if len(d.Drivers) == 0 {
		return ""
	}
	return d.Drivers[0].Name
}

// usualDriver is the driver of a device when none is chosen: the first that can read the screen, else the first. sees says whether it can
// read the screen now, which it cannot while its agent waits to be started.
func usualDriver(of device.Device) (name string, sees bool) {
	c, is := of.(*device.Composite)
	if !is || len(c.Parts()) == 0 {
		return of.Driver(), false
	}
	for _, part := range c.Parts() {
		if _, sees := device.Has[device.Eyes](part); sees {
			sleeper, may := device.Has[device.Dormant](part)
			return part.Driver(), !may || !sleeper.Dormant()
		}
	}
	return c.Parts()[0].Driver(), false
}

// choose gives a device its driver: the chosen one, else the usual one. If the usual driver cannot read the screen, choose takes the first
// server that the user named and that answers; a notice names each server that does not. A chosen driver is never replaced.
func (d Access) choose(ctx context.Context, c *op.Call, h *pool.Handle) (*pool.Handle, error) {
	if h.Info().Type == device.TypeProcess {
		return h, nil
	}
	wish, err := d.wish(c)
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
func (d Access) chosen(c *op.Call, h *pool.Handle, which pool.Choice, why string) (*pool.Handle, error) {
	led, err := d.Pool.Choose(h, which)
	if err != nil {
		return nil, err
	}
	if c.Device != nil {
		c.Device.Driver, c.Device.DrivenBecause = which.Driver, why
	}
	return led, nil
}

// best gives a device whose usual driver cannot read the screen the first server that the user named and that answers.
func (d Access) best(ctx context.Context, c *op.Call, h *pool.Handle, wish choice.Wish) (*pool.Handle, error) {
	for _, a := range d.Pool.Alternates() {
		driver := a.Spec().Name
		named := pool.Choice{Driver: driver, At: wish.At[driver]}
		if named.At == "" {
			continue
		}
		if !d.Pool.Chosen(h, named) {
			if _, err := d.Pool.ProbeAlternate(ctx, named); err != nil {
				text := fmt.Sprintf("%s cannot be driven by %s: %s", h.Info().Name, driver, fault.From(err).Message)
				if d.Sessions.Get(c.Session).Untold(text) {
					c.Notify(op.Notice{Kind: op.Config, Text: text})
				}
				continue
			}
		}
		usual, _ := usualDriver(h.Device)
		return d.chosen(c, h, named, fmt.Sprintf("%s cannot read the screen now, and %s answers at %s", usual, driver, named.At))
	}
	return h, nil
}

// Webs is the driver that reads web views. It works beside any driver of the device.
func (d Access) Webs() (device.DriverSpec, bool) {
	i := slices.IndexFunc(d.Drivers, func(s device.DriverSpec) bool { return s.Webs })
	if i < 0 {
		return device.DriverSpec{}, false
	}
	return d.Drivers[i], true
}

// lendWebs adds to a device the ability to read web views through a server that the user named.
func (d Access) lendWebs(h *pool.Handle, wish choice.Wish) (*pool.Handle, error) {
	by, _ := d.Webs()
	at := wish.At[by.Name]
	if at == "" || !d.Pool.Drives(by.Name) {
		return h, nil
	}
	return d.Pool.Lend(h, pool.Choice{Driver: by.Name, At: at}, func(part device.Device) device.Device {
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

// vouched reports whether the user named a server outside of the project and of calls: in the environment of the client, or with the
// command trust. A model can do neither, and neither can a command line that an agent runs without approval.
func vouched(c *op.Call, store *config.Store, driver device.DriverSpec, at string) bool {
	return strings.TrimSuffix(c.Env[choice.Variable(driver)], "/") == at || store.Allows(at)
}

// Confides refuses to type a secret through a driver that the user did not name outside of the project and of calls: the driver's server
// reads all typed text. The usual driver is part of ios-agent and is always allowed. A driver that has no address, because it is started
// for the device, is named by its name.
func (d Access) Confides(c *op.Call) error {
	if c.Device == nil || c.Device.Driver == "" {
		return nil
	}
	i := slices.IndexFunc(d.Drivers, func(s device.DriverSpec) bool { return s.Name == c.Device.Driver })
	if i < 0 {
		return nil
	}
	store := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env)
	wish, err := choice.Of(d.Drivers, store, c.Instead)
	if err != nil {
		return err
	}
	driver, at := d.Drivers[i], wish.At[c.Device.Driver]
	if at != "" && vouched(c, store, driver, at) || at == "" && (c.Env[choice.DriverVariable()] == driver.Name || store.Allows(driver.Name)) {
		return nil
	}
	name, trusted := choice.DriverVariable()+"="+driver.Name, driver.Name
	if at != "" {
		name, trusted = choice.Variable(driver)+"="+at, at
	}
	return fault.New(fault.Forbidden, "cannot type a secret through the driver %s: only the session or the call named it", driver.Name).
		WithDispatch(fault.NotDispatched).With("driver", driver.Name).
		WithHint("only a person can trust a driver with secrets: set %s in the environment of the client, or run %s in the project's folder; "+
			"%s %s types it without that driver", name, hint.Command("ios-agent trust "+trusted), hint.Field("driver"), d.Usual())
}

// wish is the driver that the caller wants. A server on another machine reads all typed text, so the user must vouch for it. Drivers that
// a project's file names without the user's consent are ignored, and a notice says so.
func (d Access) wish(c *op.Call) (choice.Wish, error) {
	s := d.Sessions.Get(c.Session)
	store := s.Defaults(c.Dir, c.Env)
	complete.TellWarnings(c, s, store)
	wish, err := choice.Of(d.Drivers, store, c.Instead)
	if err != nil {
		return wish, err
	}
	if err := d.named(c, wish); err != nil {
		return wish, err
	}
	for _, driver := range d.Drivers {
		at, named := wish.At[driver.Name]
		if !named || config.OfThisMachine(at) || vouched(c, store, driver, at) {
			continue
		}
		if wish.Driver == driver.Name {
			return wish, fault.New(fault.Forbidden, "the server of the driver %s is on another machine: %s", driver.Name, at).
				WithDispatch(fault.NotDispatched).
				WithHint("it receives all typed text, so a person must trust it: set %s in the environment of the client, or run %s in the "+
					"project's folder", choice.Variable(driver), hint.Command("ios-agent trust "+at))
		}
		delete(wish.At, driver.Name)
	}
	return wish, nil
}

// named refuses a call that chooses a driver without the address of its server. The usual port is not safe: any user of this machine may
// listen there.
func (d Access) named(c *op.Call, wish choice.Wish) error {
	for _, s := range d.Drivers {
		if c.Instead[config.KeyDriver] == s.Name && wish.At[s.Name] == "" && s.Usual != "" {
			return fault.New(fault.Forbidden, "the driver %s has no address, and a call cannot choose the usual one, %s", s.Name, s.Usual).
				WithDispatch(fault.NotDispatched).WithHint("%s", namedElsewhere(s))
		}
	}
	return nil
}

// DriverChecks say which driver drives the session's device and why, and the state of the servers of other drivers.
func (d Access) DriverChecks(ctx context.Context, c *op.Call) []device.Check {
	store := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env)
	info, known := d.Pool.Last(d.Sessions.Get(c.Session).Device())
	wish, err := choice.Of(d.Drivers, store, nil)
	if err != nil {
		return []device.Check{{Name: "driver", Status: "fail", Message: fault.From(err).Message, Hint: fault.From(err).Hint}}
	}
	whose, usual := "simulators", d.Usual()
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

// alternate is the check of one driver's server. A driver without an address is off, which is not a problem.
func (d Access) alternate(ctx context.Context, a pool.Alternate, wish choice.Wish) device.Check {
	spec := a.Spec()
	at, chosen := wish.At[spec.Name], wish.Driver == spec.Name
	if at == "" && !chosen {
		return device.Check{Name: spec.Name, Status: device.CheckOff, Message: "not set up; the usual driver needs no server",
			Hint: hint.Do("session_set_defaults", "driver", spec.Name, spec.URLKey(), "URL") + " sets it up"}
	}
	says, err := d.Pool.ProbeAlternate(ctx, pool.Choice{Driver: spec.Name, At: at})
	if err == nil {
		return device.Check{Name: spec.Name, Status: "ok", Message: says}
	}
	f := fault.From(err)
	if chosen {
		return device.Check{Name: spec.Name, Status: "fail", Message: f.Message, Hint: f.Hint}
	}
	return device.Check{Name: spec.Name, Status: "warn", Message: f.Message, Hint: f.Hint}
}
