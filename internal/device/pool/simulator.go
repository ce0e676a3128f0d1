package pool

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// Simulator names a simulator by udid or by name.
type Simulator struct {
	ID, Name string
	Newest   bool // of several shut-down simulators with the name, take the newest system
}

// Simulator finds a simulator. Of several with one name it takes the booted one, otherwise the one with the newest system, and a build
// for that name uses the same one.
func (p *Pool) Simulator(ctx context.Context, which Simulator) (Criteria, error) {
	if which.ID != "" || !which.Newest {
		return Criteria{UDID: which.ID, Name: which.Name}, nil
	}
	infos, err := p.List(ctx)
	if err != nil {
		return Criteria{}, err
	}
	found := slices.DeleteFunc(slices.Clone(infos), func(i device.Info) bool {
		return !strings.EqualFold(i.Name, which.Name) || i.Type != device.TypeSimulator
	})
	usable := slices.DeleteFunc(slices.Clone(found), func(i device.Info) bool { return !i.Available })
	switch {
	case len(found) == 0:
		return Criteria{Name: which.Name}, nil // Resolve lists the devices in its fault
	case len(usable) == 0:
		return Criteria{}, fault.New(fault.DeviceNotFound,
			"the simulator %q cannot be used: its runtime %s is not installed", found[0].Name, found[0].OS).
			WithHint("install the runtime in Xcode, or take another simulator")
	}
	best := slices.MaxFunc(usable, func(a, b device.Info) int {
		switch {
		case a.State == device.Booted && b.State != device.Booted:
			return 1
		case a.State != device.Booted && b.State == device.Booted:
			return -1
		}
		return device.CompareOS(a.OS, b.OS)
	})
	return Criteria{UDID: best.UDID}, nil
}
