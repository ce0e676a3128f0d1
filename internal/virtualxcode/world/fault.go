package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The faults there are.
const (
	NoOpTap            = "no-op-tap"
	AgentCrashAfterAct = "agent-crash-after-act"
	AgentCrashBefore   = "agent-crash-before-act"
	AgentHalfFrame     = "agent-half-frame"
	AgentGarbage       = "agent-garbage"
	AgentWrongDevice   = "agent-wrong-device"
	SlowBoot           = "slow-boot"
	BootHang           = "boot-hang"
	BootFails          = "boot-fails"
	SimctlHang         = "simctl-hang"
	SimctlGarbage      = "simctl-garbage"
	InstallFails       = "install-fails"
	LaunchFails        = "launch-fails"
)

// KnownFaults says what each fault does.
func KnownFaults() map[string]string {
	return map[string]string{
		NoOpTap:            "a tap is swallowed: it succeeds and nothing happens",
		AgentCrashAfterAct: "the agent on the device dies after it has acted, before it answers",
		AgentCrashBefore:   "the agent on the device dies when it is asked to act, before it acts",
		AgentHalfFrame:     "the agent's answer to a look breaks off in the middle, and its connection with it",
		AgentGarbage:       "the agent answers a look with bytes that are no frame",
		AgentWrongDevice:   "the agent greets as the agent of another device",
		SlowBoot:           "a boot takes a minute",
		BootHang:           "a boot never ends: the device stays in state Booting until it is shut down",
		BootFails:          "a boot is refused and the device stays shut down",
		SimctlHang:         "a run of simctl never answers: it ends only when it is interrupted",
		SimctlGarbage:      "simctl list prints something that is neither its JSON nor its text",
		InstallFails:       "an app cannot be installed; what was there before stays",
		LaunchFails:        "an installed app cannot be launched",
	}
}

// Fault is something to go wrong on demand.
type Fault struct {
	Name   string // one of KnownFaults
	Device string // UDID; empty is any device
	Times  int    // how often it is left to happen; zero on adding is once
}

// AddFault plans a fault.
func (w *World) AddFault(f Fault) error {
	if KnownFaults()[f.Name] == "" {
		known := slices.Sorted(maps.Keys(KnownFaults()))
		return fmt.Errorf("unknown fault %q: known faults are %s", f.Name, strings.Join(known, ", "))
	}
	if f.Times < 0 {
		return fmt.Errorf("fault %s: times is %d, it cannot be less than zero", f.Name, f.Times)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Device != "" {
		if _, err := w.device(f.Device); err != nil {
			return fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	f.Times = max(f.Times, 1)
	w.faults = append(w.faults, f)
	return w.saveShared()
}

// Faults lists what is still to go wrong.
func (w *World) Faults() []Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults)
}

// ClearFaults forgets all planned faults.
func (w *World) ClearFaults() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
	return w.saveShared()
}

// TakeFault reports whether a fault is to happen on a device now, and uses it up once if so.
func (w *World) TakeFault(udid, name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	// When the Store fails the fault has still been taken here; at worst it happens once more after a restart.
	taken, _ := w.takeFault(udid, name)
	return taken
}

// takeFault is TakeFault for callers that hold the lock.
func (w *World) takeFault(udid, name string) (bool, error) {
	for i := range w.faults {
		f := &w.faults[i]
		if f.Name != name || f.Device != "" && f.Device != udid {
			continue
		}
		if f.Times--; f.Times <= 0 {
			w.faults = slices.Delete(w.faults, i, i+1)
		}
		return true, w.saveShared()
	}
	return false, nil
}
