package pool

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// Simulator says which simulator is meant: by udid or by name.
type Simulator struct {
	ID, Name string
	Newest   bool // of several of that name, none booted, the one with the newest system
}

// Simulator gives the simulator that is meant. Of several with one name it is the booted one, else the one with the newest system;
// a build for that name goes to the same one.
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
		return Criteria{Name: which.Name}, nil // Resolve tells which devices there are
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
