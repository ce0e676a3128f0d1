// Package flaw is what can go wrong in a virtual world on demand: the table of all faults, which of them are armed, and
// chaos, which lets them happen by themselves. It knows no world: the code that asks whether a fault happens also makes it
// happen.
package flaw

import (
	"fmt"
	"slices"
)

// Forever is how often a fault happens that is to stay until it is cleared.
const Forever = -1

// Fault is something to go wrong on demand.
type Fault struct {
	Name   string            `json:"name"`             // one of Known
	Device string            `json:"device,omitempty"` // UDID; empty is any device
	Times  int               `json:"times"`            // how often it is left to happen, or Forever; zero on adding is once
	After  int               `json:"after,omitempty"`  // how many occasions are spared first
	Set    map[string]string `json:"set,omitempty"`    // its details, where they are not the defaults
}

// Check says what is wrong with a fault that is to be armed.
func (f Fault) Check() error {
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
	return nil
}

// Plan is what is to go wrong in a world. It is used by one goroutine at a time.
type Plan struct {
	Armed   []Fault
	Profile string // one of Profiles, or none
	Chaos   Chaos

	// Keep and KeepChaos are called when Armed and Profile or Chaos have changed; nil: nobody keeps them.
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

// Clear disarms all faults, or those of one name.
func (p *Plan) Clear(name string) error {
	if name != "" {
		if _, err := kindCalled(name); err != nil {
			return err
		}
	}
	p.Armed = slices.DeleteFunc(p.Armed, func(f Fault) bool { return name == "" || f.Name == name })
	return kept(p.Keep)
}

// Nothing reports whether nothing can go wrong.
func (p *Plan) Nothing() bool { return len(p.Armed) == 0 && p.Profile == "" && !p.Chaos.On }

// Take is asked on every occasion of a fault, and reports whether it happens now; if so it has been used up once. A plan
// that cannot be kept has still been changed: at worst a fault happens once more after a restart.
func (p *Plan) Take(udid, name string) (Hit, bool) {
	kind, known := kinds()[name]
	if !known {
		panic("no fault is called " + name) // a mistake in this program
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

// SetChaos begins chaos, from the beginning of the stream of its seed, or ends it.
func (p *Plan) SetChaos(to Chaos) error {
	to.Seen, to.Hits = nil, nil
	p.Chaos = to
	return kept(p.KeepChaos)
}

// Flaws are the faults of one device: a call is an occasion of the fault it names.
type Flaws func(name string) (Hit, bool)

// Of are the faults of a device.
func (p *Plan) Of(udid string) Flaws {
	return func(name string) (Hit, bool) { return p.Take(udid, name) }
}

// Happens reports whether a fault without details happens now. Without flaws none does.
func (f Flaws) Happens(name string) bool {
	if f == nil {
		return false
	}
	_, yes := f(name)
	return yes
}
