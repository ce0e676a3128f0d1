package world

import (
	"fmt"
	"slices"
)

// Forever is how often a fault happens that is to stay until it is cleared.
const Forever = -1

// Fault is something to go wrong on demand.
type Fault struct {
	Name   string            // one of KnownFaults
	Device string            // UDID; empty is any device
	Times  int               // how often it is left to happen, or Forever; zero on adding is once
	After  int               // how many occasions are spared first
	Set    map[string]string // its details, where they are not the defaults
}

// AddFault plans a fault.
func (w *World) AddFault(f Fault) error {
	kind, err := kindCalled(f.Name)
	if err != nil {
		return err
	}
	if err := kind.check(f.Set); err != nil {
		return err
	}
	if f.Times < Forever {
		return fmt.Errorf("fault %s: times is %d, it cannot be less than zero", f.Name, f.Times)
	}
	if f.After < 0 {
		return fmt.Errorf("fault %s: after is %d, it cannot be less than zero", f.Name, f.After)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Device != "" {
		if _, err := w.device(f.Device); err != nil {
			return fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	if f.Times == 0 {
		f.Times = 1
	}
	w.faults = append(w.faults, f)
	return w.saveShared()
}

// Faults lists what is still to go wrong.
func (w *World) Faults() []Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults)
}

// ClearFaults forgets all planned faults, or those of one name.
func (w *World) ClearFaults(name string) error {
	if name != "" {
		if _, err := kindCalled(name); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = slices.DeleteFunc(w.faults, func(f Fault) bool { return name == "" || f.Name == name })
	return w.saveShared()
}

// TakeFault is asked on every occasion of a fault, and reports whether it happens now; if so it has been used up once.
func (w *World) TakeFault(udid, name string) (Hit, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.takeFault(udid, name)
}

// takeFault is TakeFault for callers that hold the lock. When the Store fails the fault has still been taken here; at
// worst it happens once more after a restart.
func (w *World) takeFault(udid, name string) (Hit, bool) {
	kind, known := kinds()[name]
	if !known {
		panic("no fault is called " + name) // a mistake in this program
	}
	for i := range w.faults {
		f := &w.faults[i]
		if f.Name != name || f.Device != "" && f.Device != udid {
			continue
		}
		if f.After > 0 {
			f.After--
			_ = w.saveShared()
			continue
		}
		hit := Hit{kind, f.Set}
		if f.Times != Forever {
			f.Times--
		}
		if f.Times == 0 {
			w.faults = slices.Delete(w.faults, i, i+1)
		}
		_ = w.saveShared()
		return hit, true
	}
	return Hit{kind: kind}, w.chaotic(udid, kind)
}

// flaws are the faults of one device; the world's lock is held when they are asked for.
type flaws func(name string) (Hit, bool)

func (w *World) flawsOf(udid string) flaws {
	return func(name string) (Hit, bool) { return w.takeFault(udid, name) }
}

// happens reports whether a fault without details happens now.
func (f flaws) happens(name string) bool {
	_, yes := f(name)
	return yes
}
