// Package idb drives a simulator through idb_companion, the server of Meta's idb: gRPC over a socket. Driver opens simulators that other
// drivers list; the user runs a companion and sets its address, or the driver starts one and ends it with the device.
//
// The companion sends events of a keyboard and of fingers: it cannot check at the moment of a touch what lies under the finger, so a
// step looks before and after (device/act), and it types only the characters of a US keyboard. Things that it does not report, such as a
// banner over the app, stay unknown. The package must never send an input twice.
package idb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/machine/host"
)

// Program is the name of the companion's program.
const Program = "idb_companion"

// Options configure a driver.
type Options struct {
	Host  *host.Host      // starts companions; required without an address
	Tools apple.Toolchain // finds the program
	Logs  string          // a folder for the output of companions

	Clock device.Clock  // how a look waits; nil: the system's clock
	Ready time.Duration // how long a companion may take to start serving (default 1 minute)
	Wait  time.Duration // how long an answer may take (default 30 seconds)
}

// Driver opens simulators that other drivers list.
type Driver struct {
	opts   Options
	attach func(at string) (*companion, error) // connects to a companion that the driver did not start
}

// New makes a driver. It does no I/O.
func New(o Options) *Driver {
	if o.Clock == nil {
		o.Clock = device.TimeOfDay{}
	}
	o.Ready, o.Wait = cmp.Or(o.Ready, time.Minute), cmp.Or(o.Wait, 30*time.Second)
	return &Driver{o, attach}
}

// Spec is the driver's row in the table of drivers. It has no usual address: without an address, the driver starts a companion.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "idb", Drives: []string{device.TypeSimulator}, Server: "idb_companion", At: "unix:///tmp/idb.sock",
		Start: "install idb-companion, with Homebrew from facebook/fb; or start one", Buttons: slices.Sorted(maps.Keys(buttons)),
	}
}

// Spec is the driver's row in the table of drivers.
func (d *Driver) Spec() device.DriverSpec { return Spec() }

// probeWait is how long a companion may take to describe itself.
const probeWait = 5 * time.Second

// Probe asks the companion at an address which simulator it serves; without an address it checks whether the program is installed.
func (d *Driver) Probe(ctx context.Context, at string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	if at == "" {
		return d.installed(ctx)
	}
	c, err := newClient(at)
	if err != nil {
		return "", unreachable(at, err)
	}
	defer c.close()
	var about idbwire.TargetDescriptionResponse
	if err := c.call(ctx, idbwire.Describe, &idbwire.Empty{}, &about); err != nil {
		return "", unreachable(at, err)
	}
	if about.Target == nil {
		return "", unreachable(at, errNoTarget)
	}
	return fmt.Sprintf("idb_companion answers at %s: %s, %s", at, about.Target.Name, about.Target.UDID), nil
}

// Open returns a device; it connects at the first use.
func (d *Driver) Open(info device.Info, at string) device.Device {
	return &phone{driver: d, info: info, at: at, connecting: device.NewLane(), names: map[uint64]string{}}
}

// unreachable means that the companion cannot be used. Its cause is the reason.
func unreachable(at string, err error) error {
	return &device.UnreachableError{Driver: Spec(), At: at, Cause: err}
}
