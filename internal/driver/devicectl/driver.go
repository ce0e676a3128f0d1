// Package devicectl drives physical devices through Apple's devicectl: it lists them, installs, launches and ends apps, and prints their
// output. Driver finds and opens the devices. The package cannot read the screen or send input; agents of other packages do.
package devicectl

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ios-agent/internal/apple"
	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/apple/xctrace"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Host runs programs; *host.Host is one.
type Host interface {
	host.Runner
	host.Starter
}

// Options configure a Driver.
type Options struct {
	Host  Host
	Tools apple.Toolchain
}

// Driver finds physical devices and opens them.
type Driver struct {
	host  Host
	xcrun string
}

var _ device.Driver = (*Driver)(nil)

// New makes a driver without running a program.
func New(o Options) *Driver {
	return &Driver{host: o.Host, xcrun: o.Tools.Tool("xcrun")}
}

// Spec is the driver's row in the table of drivers. It neither reads the screen nor sends input.
func Spec() device.DriverSpec { return device.DriverSpec{Name: "devicectl"} }

// Name is the driver's name in messages.
func (d *Driver) Name() string { return Spec().Name }

func (d *Driver) tool() ctl.Tool { return ctl.Tool{Run: d.host, Xcrun: d.xcrun} }

// List asks devicectl for the physical devices that are paired with this Mac, including unreachable ones. It skips devices whose
// hardware udid devicectl does not know. If devicectl lists none, List asks xctrace, which reports less.
func (d *Driver) List(ctx context.Context) ([]device.Info, error) {
	found, failed := d.tool().List(ctx)
	infos := []device.Info{}
	seen := map[string]bool{}
	for _, one := range found {
		if i := info(one); i.UDID != "" && isPhysical(one) && !seen[i.UDID] {
			seen[i.UDID] = true
			infos = append(infos, i)
		}
	}
	if len(infos) > 0 {
		return infos, nil
	}
	others, err := xctrace.Tool{Run: d.host, Xcrun: d.xcrun}.List(ctx)
	for _, one := range others {
		infos = append(infos, traced(one))
	}
	if len(infos) > 0 {
		return infos, nil
	}
	return infos, toolfault.New(cmp.Or(failed, err), fault.ToolFailed, "listing physical devices")
}

// isPhysical excludes simulators, which newer versions list too, and devices that were never paired.
func isPhysical(d ctl.Device) bool {
	return d.Visibility != "Simulator" && d.Hardware.Reality != "simulated" && d.Connection.Pairing != ""
}

// info describes a device that devicectl listed. Its udid is the hardware's, which xcodebuild and xctrace use too; devicectl's own
// identifier is an alias.
func info(d ctl.Device) device.Info {
	h := &device.Hardware{
		CoreID: d.ID, Platform: d.Hardware.Platform, Product: d.Hardware.ProductType, CPU: cpu(d.Hardware), Connection: d.Connection.Transport,
		DeveloperMode: d.Properties.DeveloperMode, Pairing: d.Connection.Pairing, Reach: reach(d.Connection),
	}
	i := device.Info{
		UDID: d.Hardware.UDID, Name: d.Properties.Name, State: device.Booted, OS: system(d.Hardware.Platform, d.Properties.OS),
		Type: device.TypePhysical, Model: cmp.Or(d.Hardware.Marketing, d.Hardware.ProductType), Family: d.Hardware.Type,
		Available: h.Reach == device.ReachWired || h.Reach == device.ReachNetwork, Hardware: h,
	}
	if !i.Available {
		i.State = strings.ToLower(h.Reach)
	}
	i.Aliases = aliases(d)
	return i
}

// aliases are devicectl's other names for a device, except the name that its owner gave it, which another device may share.
func aliases(d ctl.Device) []string {
	all := []string{d.ID, d.Hardware.Serial}
	if d.Hardware.ECID != 0 {
		all = append(all, fmt.Sprint(d.Hardware.ECID))
	}
	var names []string
	for _, name := range append(all, d.Connection.Hostnames...) {
		if name != "" && name != d.Hardware.UDID {
			names = append(names, name)
		}
	}
	return names
}

func cpu(h ctl.Hardware) string {
	var kind struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(h.Extra["cpuType"], &kind) // skip a value in another form
	return kind.Name
}

// reach says whether a device can be used.
func reach(c ctl.Connection) string {
	switch {
	case c.Pairing != "paired":
		return device.ReachUnpaired
	case c.Tunnel == "unavailable":
		return device.ReachUnavailable
	case c.Tunnel == "connected":
		return device.ReachWired
	}
	return device.ReachNetwork
}

// system formats a version as simulators do: iOS 18.5.
func system(platform, version string) string { return strings.TrimSpace(platform + " " + version) }

// traced describes a device that only xctrace listed.
func traced(d xctrace.Device) device.Info {
	i := device.Info{
		UDID: d.UDID, Name: d.Name, State: device.Booted, OS: d.Version, Type: device.TypePhysical, Available: !d.Offline,
		Hardware: &device.Hardware{Reach: device.ReachWired},
	}
	if d.Offline {
		i.Hardware.Reach = device.ReachUnavailable
		i.State = strings.ToLower(i.Hardware.Reach)
	}
	return i
}

// Open returns a device without running a program.
func (d *Driver) Open(info device.Info) device.Device { return &handset{driver: d, info: info} }
