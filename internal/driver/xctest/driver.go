// Package xctest drives simulators and physical devices: simctl controls a simulator and its apps, our XCTest agent reads the screen and
// sends input. Driver finds simulators and opens them; Physical adds the agent to physical devices. The driver starts the agent when it
// is first needed and replaces it when it dies. It must never send an input twice.
package xctest

import (
	"context"
	"strings"

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
	Talk  *agentwire.Talk // records the messages between driver and agent; nil: no recording
}

var _ device.Driver = (*Driver)(nil)

// Spec is the driver's row in the table of drivers.
func Spec() device.DriverSpec {
	return device.DriverSpec{Name: "xctest", Drives: []string{device.TypeSimulator, device.TypePhysical}}
}

// Name is the driver's name in messages.
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

// Open returns a simulator. The agent starts at the first use.
func (d *Driver) Open(info device.Info) device.Device { return newPhone(d, info) }
