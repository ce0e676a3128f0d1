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

// Faults lists the armed faults.
func (w *World) Faults() []flaw.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.plan.Armed)
}

// ClearFaults disarms the faults of one name, or all faults if name is empty.
func (w *World) ClearFaults(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Clear(name)
}

// TakeFault reports whether a fault happens on this occasion, and counts the occurrence.
func (w *World) TakeFault(udid, name string) (flaw.Hit, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Take(udid, name)
}

// SetProfile selects a profile, or none with "".
func (w *World) SetProfile(name string) error {
	if err := flaw.CheckProfile(name); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.SetProfile(name)
}

// Profile is the selected profile, or "".
func (w *World) Profile() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Profile
}

const chaosKey = "chaos" // the key in the Store

// SetChaos starts or stops chaos.
func (w *World) SetChaos(to flaw.Chaos) error {
	if err := to.Check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.SetChaos(to)
}

// Chaos returns the state of chaos.
func (w *World) Chaos() flaw.Chaos {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.plan.Chaos.Clone()
}
