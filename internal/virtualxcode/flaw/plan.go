// Package flaw decides when something goes wrong in a virtual world. It has the table of all faults (Known), the armed faults and the
// chaos of a world (Plan), and the profile of a real Mac. A virtual tool asks Flaws on each occasion of a fault; if the fault happens,
// the tool itself produces the effect. This package must not know the world.
package flaw

import (
	"fmt"
	"slices"
)

// Forever as Times keeps a fault armed until it is cleared.
const Forever = -1

// Fault is one armed fault.
type Fault struct {
	Name   string            `json:"name"`             // one of Known
	Device string            `json:"device,omitempty"` // UDID; empty is any device
	Times  int               `json:"times"`            // remaining occurrences, or Forever; Add takes zero as one
	After  int               `json:"after,omitempty"`  // number of occasions without a fault before the first
	Set    map[string]string `json:"set,omitempty"`    // details that differ from the defaults
}

// Check validates a fault before it is armed.
func (f Fault) Check() error {
	kind, err := kindCalled(f.Name)
	if err != nil {
		return err
	}
	if err := kind.check(f.Set); err != nil {
		return err
	}
	if f.Times < Forever {
		return fmt.Errorf("fault %s: times is %d, must not be negative", f.Name, f.Times)
	}
	if f.After < 0 {
		return fmt.Errorf("fault %s: after is %d, must not be negative", f.Name, f.After)
	}
	return nil
}

// Plan holds the armed faults, the profile and the chaos of a world. One goroutine uses it at a time.
type Plan struct {
	Armed   []Fault
	Profile string // one of Profiles, or empty
	Chaos   Chaos

	// Keep is called after Armed or Profile changed, KeepChaos after Chaos changed. Nil functions are skipped.
	Keep, KeepChaos func() error
}

func kept(keep func() error) error {
	if keep == nil {
		return nil
	}
	return keep()
}

// Add arms a fault that was checked.
func (p *Plan) Add(f Fault) error {
	if f.Times == 0 {
		f.Times = 1
	}
	p.Armed = append(p.Armed, f)
	return kept(p.Keep)
}

// Clear disarms the faults of one name, or all faults if name is empty.
func (p *Plan) Clear(name string) error {
	if name != "" {
		if _, err := kindCalled(name); err != nil {
			return err
		}
	}
	p.Armed = slices.DeleteFunc(p.Armed, func(f Fault) bool { return name == "" || f.Name == name })
	return kept(p.Keep)
}

// Nothing reports whether the plan is empty: no fault, no profile, no chaos.
func (p *Plan) Nothing() bool { return len(p.Armed) == 0 && p.Profile == "" && !p.Chaos.On }

// Take reports whether a fault happens on this occasion, and counts the occurrence. If Keep fails, the change still holds in
// memory: at worst a fault happens once more after a restart.
func (p *Plan) Take(udid, name string) (Hit, bool) {
	kind, known := kinds()[name]
	if !known {
		panic("unknown fault " + name) // a mistake in this program
	}
	for i := range p.Armed {
		f := &p.Armed[i]
		if f.Name != name || f.Device != "" && f.Device != udid {
			continue
		}
		if f.After > 0 {
			f.After--
			_ = kept(p.Keep)
			continue
		}
		hit := Hit{kind, f.Set}
		if f.Times == Forever {
			return hit, true
		}
		if f.Times--; f.Times == 0 {
			p.Armed = slices.Delete(p.Armed, i, i+1)
		}
		_ = kept(p.Keep)
		return hit, true
	}
	if kind.Mac && p.Profile == RealMac {
		return Hit{kind: kind}, true
	}
	return Hit{kind: kind}, p.chaotic(udid, kind)
}

// SetChaos starts chaos, from the beginning of its seed's stream, or stops it.
func (p *Plan) SetChaos(to Chaos) error {
	to.Seen, to.Hits = nil, nil
	p.Chaos = to
	return kept(p.KeepChaos)
}

// Flaws are the faults of one device. Each call counts as one occasion of the named fault.
type Flaws func(name string) (Hit, bool)

// Of returns the faults of a device.
func (p *Plan) Of(udid string) Flaws {
	return func(name string) (Hit, bool) { return p.Take(udid, name) }
}

// Happens reports whether a fault without details happens now; nil Flaws have no faults.
func (f Flaws) Happens(name string) bool {
	if f == nil {
		return false
	}
	_, yes := f(name)
	return yes
}
