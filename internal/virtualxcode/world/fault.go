package world

import (
	"fmt"
	"slices"

	"ios-agent/internal/virtualxcode/flaw"
)

// AddFault arms a fault.
func (w *World) AddFault(f flaw.Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Device != "" {
		if _, err := w.device(f.Device); err != nil {
			return fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	return w.plan.Add(f)
}

// Faults lists what is still to go wrong.
func (w *World) Faults() []flaw.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.plan.Armed)
}

// ClearFaults disarms all faults, or those of one name.
func (w *World) ClearFaults(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Clear(name)
}

// TakeFault is asked on every occasion of a fault, and reports whether it happens now; if so it has been used up once.
func (w *World) TakeFault(udid, name string) (flaw.Hit, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Take(udid, name)
}

// SetProfile lets the faults of a profile always happen from now on, or ends that with "".
func (w *World) SetProfile(name string) error {
	if err := flaw.CheckProfile(name); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.SetProfile(name)
}

// Profile is the profile that was set; "" is none.
func (w *World) Profile() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Profile
}

const chaosKey = "chaos" // the Store's entry

// SetChaos lets passing faults happen from now on, or ends that.
func (w *World) SetChaos(to flaw.Chaos) error {
	if err := to.Check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.SetChaos(to)
}

// Chaos is what is going on.
func (w *World) Chaos() flaw.Chaos {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Chaos.Clone()
}
