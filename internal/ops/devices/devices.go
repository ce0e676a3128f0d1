// Package devices offers the operations on devices: list, boot, shut down, erase, and choose the session's device. Devices is its main
// type. The pool decides which session may drive a device; this package asks it through package access.
package devices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/toolcheck"
)

// Devices lists, boots, shuts down and erases devices.
type Devices struct{ d Deps }

// Deps are the services that the operations use.
type Deps struct {
	Access  access.Access
	Tools   *toolcheck.Checker
	Viewer  *macapp.Service
	Prewarm bool // start a device's agent at boot, not at its first use
}

// New makes the operations on devices.
func New(d Deps) *Devices { return &Devices{d} }

// Ops lists the operations on devices.
func (d *Devices) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "list_devices", Groups: []string{"device"}, Verb: "devices", Aliases: []string{"list-sims"}, Route: "GET /api/v1/device/list",
			Summary: "List the simulators and physical devices, with their states",
			Hints:   op.ReadOnly | op.Idempotent, Default: true,
			Examples: []string{"devices", "devices --state booted"},
		}, d.List),
		op.New(op.Spec{
			Name: "boot_device", Groups: []string{"device"}, Verb: "boot", Route: "POST /api/v1/device/boot",
			Summary: "Boot a simulator, wait until ready, and use it",
			Hints:   op.Idempotent, Timeout: 5 * time.Minute, Long: true,
			Next: []string{"install_app", "launch_app"}, Examples: []string{`boot --sim "iPhone 16 Pro"`},
		}, d.Boot),
		op.New(op.Spec{
			Name: "shutdown_device", Groups: []string{"device"}, Verb: "shutdown", Route: "POST /api/v1/device/shutdown",
			Summary: "Shut a simulator down", Hints: op.Idempotent, Timeout: time.Minute,
			Examples: []string{`shutdown --sim "iPhone 16 Pro"`},
		}, d.shutdown),
		op.New(op.Spec{
			Name: "reset_sim", Groups: []string{"device"}, Route: "POST /api/v1/device/reset",
			Summary: "Erase a simulator: its apps, data and settings",
			Hints:   op.Destructive | op.Idempotent, Timeout: 6 * time.Minute, Long: true,
			Examples: []string{`reset-sim --sim "iPhone 16 Pro"`},
		}, d.reset),
		op.New(op.Spec{
			Name: "use_device", Verb: "use", Groups: []string{"device"}, Route: "POST /api/v1/device/use",
			Summary: "Choose the default device of the session",
			Help:    "It neither boots nor claims the device; " + hint.Do("boot_device") + " boots it.",
			Hints:   op.ReadOnly | op.Idempotent, Next: []string{"boot_device", "launch_app"},
			Examples: []string{`use "iPhone 16 Pro"`, "use --pid 4711"},
			Short: append(target.DesktopFlags("device"), op.Short{Flag: "udid", Input: "device", Doc: "the device by its udid"},
				op.Short{Flag: "sim", Input: "device", Doc: "simulator by name"}),
		}, d.use),
	}
}

// ListDevicesIn filters the list.
type ListDevicesIn struct {
	State  string `json:"state,omitempty" doc:"only in this state" enum:"booted,shutdown"`
	Type   string `json:"type,omitempty" doc:"only of this type" enum:"simulator,device"`
	Name   string `json:"name,omitempty" doc:"part of its name"`
	OS     string `json:"os_version,omitempty" doc:"18, 18.2 or iOS 18.2"`
	Family string `json:"device_family,omitempty" doc:"such as iPad"`
}

func (in ListDevicesIn) fits(i device.Info) bool {
	return (in.State == "" || i.State == in.State) && (in.Type == "" || i.Type == in.Type) &&
		strings.Contains(strings.ToLower(i.Name), strings.ToLower(in.Name)) &&
		(in.OS == "" || pool.SameOS(i.OS, in.OS)) && (in.Family == "" || strings.EqualFold(i.Family, in.Family))
}

// ListDevicesOut lists the matching devices.
type ListDevicesOut struct {
	Devices []device.Info   `json:"devices"`
	Active  string          `json:"active_udid"`
	Tools   map[string]bool `json:"tools"`
	Notice  string          `json:"notice,omitempty"` // why some devices may be missing
}

// Text has a line for each device.
func (o ListDevicesOut) Text() string {
	lines := []string{fmt.Sprintf("%d devices", len(o.Devices))}
	if len(o.Devices) == 0 {
		lines[0] = "no devices"
	}
	for _, d := range o.Devices {
		line := fmt.Sprintf("%s  %s  %s  %s", d.UDID, d.State, d.OS, d.Name)
		if d.Type == device.TypePhysical {
			line += "  (physical)"
		}
		if d.UDID == o.Active {
			line += "  (current)"
		}
		if !d.Available {
			line += "  (unavailable)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// List lists the devices.
func (d *Devices) List(ctx context.Context, c *op.Call, in ListDevicesIn) (ListDevicesOut, error) {
	infos, err := d.d.Access.Pool.List(ctx)
	if err != nil {
		return ListDevicesOut{}, err
	}
	out := ListDevicesOut{Devices: []device.Info{}, Active: d.d.Access.Sessions.Get(c.Session).Device(), Tools: d.d.Tools.Installed()}
	for _, i := range infos {
		if in.fits(i) {
			out.Devices = append(out.Devices, i)
		}
	}
	if err := d.d.Access.Pool.Unlisted(); err != nil && len(out.Devices) == 0 {
		return ListDevicesOut{}, err // an unlisted device might have matched
	}
	if out.Notice = d.d.Access.Pool.Notice(); out.Notice != "" {
		c.Notify(op.Notice{Kind: op.Config, Text: out.Notice})
	}
	return out, nil
}

// BootIn names a device to boot.
type BootIn struct {
	target.Target
	Name string `json:"name,omitempty" doc:"the same as sim" cli:"arg"`
}

// DeviceOut is a device and what the operation did with it.
type DeviceOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`
	Name   string `json:"name"`
}

// Text is one line.
func (o DeviceOut) Text() string { return fmt.Sprintf("%s %s (%s)", o.Status, o.Name, o.UDID) }

// Boot boots a device and makes it the session's device.
func (d *Devices) Boot(ctx context.Context, c *op.Call, in BootIn) (DeviceOut, error) {
	if in.Sim == "" {
		in.Sim = in.Name
	}
	h, s, err := d.d.Access.Resolve(ctx, c, pool.Criteria{UDID: in.UDID, Name: in.Sim, AnyIdle: true})
	if err != nil {
		return DeviceOut{}, err
	}
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	c.Progress("booting " + h.Info().Name)
	if err := d.d.Access.Change(ctx, h, func() error { return power.Boot(ctx) }); err != nil {
		return DeviceOut{}, err
	}
	s.Use(access.Choice(h.Info()))
	d.warm(h)
	return DeviceOut{Status: "booted", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}

// warm starts the device's agent in the background, so that the first look need not wait for it. An error here is dropped: the first look
// reports it.
func (d *Devices) warm(h *pool.Handle) {
	agent, ok := device.Has[device.Agent](h.Device)
	if !ok || !d.d.Prewarm {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), warmTime)
		defer cancel()
		_ = agent.StartAgent(ctx)
	}()
}

// warmTime is the time limit for building and starting an agent in the background.
const warmTime = 12 * time.Minute

// shutdownIn names a device to shut down.
type shutdownIn struct{ target.Target }

func (d *Devices) shutdown(ctx context.Context, c *op.Call, in shutdownIn) (DeviceOut, error) {
	h, _, err := d.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return DeviceOut{}, err
	}
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	if err := d.d.Access.Change(ctx, h, func() error { return power.Shutdown(ctx) }); err != nil {
		return DeviceOut{}, err
	}
	d.d.Access.Off(h.Info().UDID)
	d.d.Access.Pool.Forgo(ctx, h)
	return DeviceOut{Status: "shutdown", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}

// Find finds a simulator by udid or name.
func (d *Devices) Find(ctx context.Context, which target.Simulator) (target.Target, error) {
	found, err := d.d.Access.Pool.Simulator(ctx, which)
	return target.Target{UDID: found.UDID, Sim: found.Name}, err
}

// EraseIn names a device to erase.
type EraseIn struct {
	target.Target
	Booted bool // shut the device down first if it is booted
}

// BootedError refuses to erase a booted device.
type BootedError struct{ Name string }

func (e *BootedError) Error() string {
	return e.Name + " is booted, and a booted simulator cannot be erased"
}

// Fault is the error as a caller gets it.
func (e *BootedError) Fault() *fault.Fault { return fault.New(fault.InvalidInput, "%s", e.Error()) }

// Erase deletes everything on a device and leaves it shut down.
func (d *Devices) Erase(ctx context.Context, c *op.Call, in EraseIn) (DeviceOut, error) {
	h, _, err := d.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return DeviceOut{}, err
	}
	eraser, err := device.As[device.Eraser](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	err = d.d.Access.Change(ctx, h, func() error {
		state, err := d.d.Access.Pool.State(ctx, h.Info().UDID)
		if err != nil {
			return err
		}
		if state == device.Booted && !in.Booted {
			return &BootedError{h.Info().Name}
		}
		return eraser.Erase(ctx)
	})
	if err != nil {
		return DeviceOut{}, err
	}
	d.d.Access.Off(h.Info().UDID)
	return DeviceOut{Status: "erased", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}

// Show opens the app that shows simulators, at one simulator's window if udid is not empty, and returns the app's name.
func (d *Devices) Show(ctx context.Context, udid string) (string, error) {
	return d.d.Viewer.ShowSimulators(ctx, udid)
}

// Toggle switches a keyboard setting of a booted simulator.
func (d *Devices) Toggle(ctx context.Context, c *op.Call, t target.Target, k macapp.Keyboard) (DeviceOut, error) {
	h, _, err := d.d.Access.Device(ctx, c, t)
	if err != nil {
		return DeviceOut{}, err
	}
	info := h.Info()
	if info.Type != device.TypeSimulator {
		return DeviceOut{}, fault.New(fault.Unsupported, "cannot switch the keyboard of %s: only simulators have this setting", info.Name)
	}
	err = d.d.Access.Do(ctx, h, func() error {
		state, err := d.d.Access.Pool.State(ctx, info.UDID)
		if err == nil && state != device.Booted {
			return fault.New(fault.DeviceNotBooted, "%s is not booted", info.Name)
		}
		if err != nil {
			return err
		}
		return d.d.Viewer.Toggle(ctx, k, info.UDID, info.Name)
	})
	return DeviceOut{Status: "switched", UDID: info.UDID, Name: info.Name}, err
}

// resetIn names a simulator to erase.
type resetIn struct{ target.Target }

func (d *Devices) reset(ctx context.Context, c *op.Call, in resetIn) (DeviceOut, error) {
	h, _, err := d.d.Access.Resolve(ctx, c, pool.Criteria{UDID: in.UDID, Name: in.Sim, AnyIdle: true})
	if err != nil {
		return DeviceOut{}, err
	}
	eraser, err := device.As[device.Eraser](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	on, err := d.d.Access.Pool.State(ctx, h.Info().UDID)
	if err != nil {
		return DeviceOut{}, err
	}
	err = d.d.Access.Change(ctx, h, func() error {
		if err := eraser.Erase(ctx); err != nil || on != device.Booted {
			return err
		}
		c.Progress("erased; booting again")
		return access.BootIfAble(ctx, h)
	})
	if err != nil {
		return DeviceOut{}, err
	}
	d.d.Access.Off(h.Info().UDID)
	return DeviceOut{Status: "reset", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}

// useIn names the device to use.
type useIn struct {
	Device string `json:"device" doc:"name or udid; pid:N or app:NAME for a desktop app" cli:"arg"`
}

func (d *Devices) use(ctx context.Context, c *op.Call, in useIn) (DeviceOut, error) {
	if d.d.Access.Pool.Opens(in.Device) {
		h, err := d.d.Access.Pool.Resolve(ctx, pool.Criteria{UDID: in.Device, Env: d.d.Access.Environ(c)})
		if err != nil {
			return DeviceOut{}, err
		}
		return d.using(c, h, device.Booted), nil
	}
	entries, err := d.d.Access.Pool.Entries(ctx)
	if err != nil {
		return DeviceOut{}, err
	}
	which := pool.Criteria{Name: in.Device}
	if slices.ContainsFunc(entries, func(e pool.Entry) bool { return strings.EqualFold(e.UDID, in.Device) }) {
		which = pool.Criteria{UDID: in.Device}
	}
	h, err := d.d.Access.Pool.Resolve(ctx, which)
	if f, ambiguous := fault.In(err); ambiguous && f.Code == fault.DeviceAmbiguous {
		return DeviceOut{}, f.WithHint("name it by its udid: %s", hint.Do("use_device", "device", "UDID"))
	}
	if err != nil {
		return DeviceOut{}, err
	}
	info := h.Info()
	for _, e := range entries {
		if e.UDID != info.UDID {
			continue
		}
		if info.State = e.State; !e.Available {
			return DeviceOut{}, fault.New(fault.DeviceNotFound, "%s (%s) cannot be used: %s", info.Name, info.OS,
				cmp.Or(e.Quarantine, "it is unavailable"))
		}
	}
	return d.using(c, h, info.State), nil
}

func (d *Devices) using(c *op.Call, h *pool.Handle, state string) DeviceOut {
	info := h.Info()
	if state == device.Booted {
		c.NotNext = []string{"boot_device"}
	} else {
		c.NotNext = []string{"launch_app"} // the device must be booted first
	}
	d.d.Access.Sessions.Get(c.Session).Use(access.Choice(info))
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	return DeviceOut{Status: "using", UDID: info.UDID, Name: info.Name}
}
