// Package idb drives a simulator through idb_companion, the server of Meta's idb: gRPC over a socket. The companion runs already and is
// reached by its address, or we start one for the simulator and end it with us.
//
// The companion writes events of a keyboard and of fingers: it cannot check at the moment of a touch what lies under the finger, so a
// step looks before and after (device/act), and it types only what a US keyboard has. What it does not tell, such as a banner over the
// app, is not known here.
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

// Options change a driver.
type Options struct {
	Host  *host.Host      // starts companions; needed where no address is given
	Tools apple.Toolchain // where the program is
	Logs  string          // a folder of ours for what companions print

	Clock device.Clock  // how a look waits; nil is the time of day
	Ready time.Duration // how long a companion may take until it serves; 0 is a minute
	Wait  time.Duration // how long it may take to answer; 0 is half a minute
}

// Driver opens simulators that others list.
type Driver struct {
	opts   Options
	attach func(at string) (*companion, error) // to one that somebody else started
}

// New makes a driver. It does no I/O.
func New(o Options) *Driver {
	if o.Clock == nil {
		o.Clock = device.TimeOfDay{}
	}
	o.Ready, o.Wait = cmp.Or(o.Ready, time.Minute), cmp.Or(o.Wait, 30*time.Second)
	return &Driver{o, attach}
}

// Spec is the driver's row of the table of drivers. No address is usual: without one a companion is started.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "idb", Drives: []string{device.TypeSimulator}, Server: "idb_companion", At: "unix:///tmp/idb.sock",
		Start: "install idb-companion, with Homebrew from facebook/fb; or start one", Buttons: slices.Sorted(maps.Keys(buttons)),
	}
}

// Spec is what the driver is.
func (d *Driver) Spec() device.DriverSpec { return Spec() }

// probeWait is how long a companion may take to say what it is.
const probeWait = 5 * time.Second

// Probe asks the companion at an address which simulator it serves; without one it asks whether the program is there.
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

// Open gives a device; it connects when it is first used.
func (d *Driver) Open(info device.Info, at string) device.Device {
	return &phone{driver: d, info: info, at: at, connecting: device.NewLane(), names: map[uint64]string{}}
}

// unreachable says that the companion cannot be used. Why stands in its cause.
func unreachable(at string, err error) error {
	return &device.UnreachableError{Driver: Spec(), At: at, Cause: err}
}
