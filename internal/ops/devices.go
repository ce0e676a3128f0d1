package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/pool"
)

type devices struct{ desk }

func (d *devices) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "list_devices", Also: []string{quern}, Groups: []string{"device"}, Verb: "list-sims", Route: "GET /api/v1/device/list",
			Summary: "List the simulators and what state they are in",
			Hints:   op.ReadOnly | op.Idempotent, Default: true,
			Examples: []string{"list-sims", "list-sims --state booted"},
		}, d.list),
		op.New(op.Spec{
			Name: "boot_device", Also: []string{quern}, Groups: []string{"device"}, Verb: "boot", Route: "POST /api/v1/device/boot",
			Summary: "Boot a simulator, wait until apps can run on it, and make it the session's device",
			Hints:   op.Idempotent, Timeout: 5 * time.Minute, Long: true, Default: true,
			Next: []string{"install_app", "launch_app"}, Examples: []string{`boot --sim "iPhone 16 Pro"`},
		}, d.boot),
		op.New(op.Spec{
			Name: "shutdown_device", Also: []string{quern}, Groups: []string{"device"}, Verb: "shutdown", Route: "POST /api/v1/device/shutdown",
			Summary: "Shut a simulator down", Hints: op.Idempotent, Timeout: time.Minute,
			Examples: []string{`shutdown --sim "iPhone 16 Pro"`},
		}, d.shutdown),
	}
}

// ListDevicesIn filters the list.
type ListDevicesIn struct {
	State string `json:"state,omitempty" doc:"only devices in this state" enum:"booted,shutdown"`
}

// ListDevicesOut is every device that fits.
type ListDevicesOut struct {
	Devices []device.Info `json:"devices"`
	Active  string        `json:"active_udid"`
}

// Text is one line a device.
func (o ListDevicesOut) Text() string {
	if len(o.Devices) == 0 {
		return "no devices"
	}
	var lines []string
	for _, d := range o.Devices {
		line := fmt.Sprintf("%s  %s  %s  %s", d.UDID, d.State, d.OS, d.Name)
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

func (d *devices) list(ctx context.Context, c *op.Call, in ListDevicesIn) (ListDevicesOut, error) {
	infos, err := d.pool.List(ctx)
	if err != nil {
		return ListDevicesOut{}, err
	}
	out := ListDevicesOut{Devices: []device.Info{}, Active: d.sessions.Get(c.Session).Device()}
	for _, i := range infos {
		if in.State == "" || i.State == in.State {
			out.Devices = append(out.Devices, i)
		}
	}
	return out, nil
}

// BootIn names the device to boot.
type BootIn struct{ Target }

// DeviceOut is a device and what became of it.
type DeviceOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`
	Name   string `json:"name"`
}

// Text says it in a line.
func (o DeviceOut) Text() string { return fmt.Sprintf("%s %s (%s)", o.Status, o.Name, o.UDID) }

func (d *devices) boot(ctx context.Context, c *op.Call, in BootIn) (DeviceOut, error) {
	h, s, err := d.resolve(ctx, c, pool.Criteria{UDID: in.UDID, Name: in.Sim, AnyIdle: true})
	if err != nil {
		return DeviceOut{}, err
	}
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	c.Progress("booting " + h.Info().Name)
	if err := h.Lane.Do(ctx, func() error { return power.Boot(ctx) }); err != nil {
		return DeviceOut{}, err
	}
	s.Use(h.Info().UDID)
	return DeviceOut{Status: "booted", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}

// ShutdownIn names the device to shut down.
type ShutdownIn struct{ Target }

func (d *devices) shutdown(ctx context.Context, c *op.Call, in ShutdownIn) (DeviceOut, error) {
	h, _, err := d.device(ctx, c, in.Target)
	if err != nil {
		return DeviceOut{}, err
	}
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return DeviceOut{}, err
	}
	if err := h.Lane.Do(ctx, func() error { return power.Shutdown(ctx) }); err != nil {
		return DeviceOut{}, err
	}
	d.sessions.Forget(h.Info().UDID)
	return DeviceOut{Status: "shutdown", UDID: h.Info().UDID, Name: h.Info().Name}, nil
}
