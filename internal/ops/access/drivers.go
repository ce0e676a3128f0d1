package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// driverFlags choose the driver for one call, on command lines. They are on every verb that is about a device; no tool of a model has them:
// it sets the session's default, once.
func driverFlags() []op.Short {
	const about = "udid"
	return []op.Short{
		{Flag: "driver", Default: defaults.KeyDriver, Needs: about,
			Doc: "what looks at the device and touches it: " + strings.Join(device.Drivers(), ", ")},
		server(device.DriverWDA, defaults.KeyWDA, "WebDriverAgent that drives the device"),
		server(device.DriverAppium, defaults.KeyAppium, "Appium server that drives the device"),
		server(device.DriverIDB, defaults.KeyIDB, "idb_companion that drives the device"),
	}
}

// server is the flag for the address of a driver's server.
func server(driver, key, doc string) op.Short {
	return op.Short{Flag: flagOf(driver), Default: key, Needs: "udid", Doc: doc, Elsewhere: namedElsewhere(driver)}
}

// namedElsewhere says how a person names the server of a driver.
func namedElsewhere(driver string) string {
	return fmt.Sprintf("name the server for the session: `ios-agent session-set-defaults --driver %s --%s URL`, or set %s in the environment "+
		"of the client", driver, flagOf(driver), variableOf(driver))
}

// WithDriverFlags adds the flags to operations, which have them if they are about a device.
func WithDriverFlags(all []op.Op) []op.Op {
	for i := range all {
		all[i].Short = append(slices.Clip(all[i].Short), driverFlags()...)
	}
	return all
}

// usualDriver is the driver that a device has when none is chosen: the first that can see, else the first. It sees now unless its agent
// waits to be started.
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

func flagOf(driver string) string { return driver + "-url" }

func variableOf(driver string) string {
	return "IOS_AGENT_" + strings.ToUpper(strings.ReplaceAll(flagOf(driver), "-", "_"))
}

// choose gives a device the driver that is to look at it and to touch it: the one that was chosen, else the usual one. Where the usual one
// has no eyes, a server that the user named and that answers is taken; what does not answer is told. A chosen driver is never replaced.
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
// what is typed, secrets too. A model cannot set that, nor can a command line that an agent may run without a question. What a project's
// file says of drivers is not taken, which the answer tells.
func (d Access) wish(c *op.Call) (defaults.Wish, error) {
	s := d.Sessions.Get(c.Session)
	store := s.Defaults(c.Dir, c.Env)
	complete.TellWarnings(c, s, store)
	wish, err := store.Driver(c.Instead)
	if err != nil {
		return wish, err
	}
	if err := d.named(c, wish); err != nil {
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

// named refuses a call that chooses a driver whose server nobody named, and that would be looked for at its usual port: any user of this
// machine can have taken it.
func (d Access) named(c *op.Call, wish defaults.Wish) error {
	for _, a := range d.Pool.Alternates() {
		if c.Instead[defaults.KeyDriver] == a.Name() && wish.At[a.Name()] == "" && a.Usual() != "" {
			return fault.New(fault.Forbidden, "the driver %s has no address, and a call cannot choose the usual one, %s", a.Name(), a.Usual()).
				WithDispatch(fault.NotDispatched).WithHint("%s", namedElsewhere(a.Name()))
		}
	}
	return nil
}

// DriverChecks say which driver drives the session's device, and why, and how the servers are that could.
func (d Access) DriverChecks(ctx context.Context, c *op.Call) []device.Check {
	store := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env)
	info, known := d.Pool.Last(d.Sessions.Get(c.Session).Device())
	wish, err := store.Driver(nil)
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
