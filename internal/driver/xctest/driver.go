// Package xctest drives a simulator: simctl for the device and its apps, our XCTest agent for eyes and hands. It starts
// the agent when it is first needed, brings it back when it dies, and never sends an input twice.
package xctest

import (
	"context"
	"strings"
	"sync/atomic"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/machine/host"
)

// Driver finds simulators and opens them.
type Driver struct {
	Host  *host.Host
	Tools apple.Toolchain
	Kit   *Kit
	Start Start
	Talk  *agentwire.Talk // keeps what is said with the agents; nil keeps nothing

	told atomic.Bool // agents are told their port: here nobody hears which one they choose
}

var _ device.Driver = (*Driver)(nil)

// Spec is the driver's row of the table of drivers.
func Spec() device.DriverSpec {
	return device.DriverSpec{Name: "xctest", Drives: []string{device.TypeSimulator, device.TypePhysical}}
}

// Name is how messages call the driver.
func (d *Driver) Name() string { return Spec().Name }

func (d *Driver) simctl() simctl.Tool {
	return simctl.Tool{Run: d.Host, Xcrun: d.Tools.Tool("xcrun")}
}

// List asks simctl for the simulators.
func (d *Driver) List(ctx context.Context) ([]device.Info, error) {
	list, err := d.simctl().List(ctx)
	if err != nil {
		return nil, toolFault(err)
	}
	families := map[string]string{}
	for _, t := range list.DeviceTypes {
		families[t.ID] = t.Family
	}
	infos := []device.Info{}
	for _, s := range list.Devices {
		infos = append(infos, device.Info{
			UDID: s.UDID, Name: s.Name, State: strings.ToLower(s.State), OS: simctl.RuntimeName(s.Runtime), Type: "simulator",
			Model: s.DeviceType, Runtime: s.Runtime, Family: families[s.DeviceType], Available: s.Available,
			BootedAt: s.LastBootedAt,
		})
	}
	return infos, nil
}

// Open gives a simulator; nothing is started until it is used.
func (d *Driver) Open(info device.Info) device.Device { return newPhone(d, info) }
