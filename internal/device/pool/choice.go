package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Alternate is a driver that lists no devices. It drives the devices of other drivers where a caller chooses it, through a server.
type Alternate interface {
	Spec() device.DriverSpec
	// Probe asks the server at an address for its identity. It changes nothing.
	Probe(ctx context.Context, at string) (says string, err error)
	// Open does no I/O: a device connects at its first use. A failed connection is a *device.UnreachableError.
	Open(info device.Info, at string) device.Device
}

// Choice is a driver that a caller chose to look at a device and touch it.
type Choice struct {
	Driver string
	At     string // address of its server; empty: the default
}

// alternate is an alternate's device.
type alternate struct {
	at   string
	part device.Device
}

// Alternates are the drivers that can be chosen but list no devices.
func (p *Pool) Alternates() []Alternate { return p.alternates }

func (p *Pool) alternate(name string) Alternate {
	i := slices.IndexFunc(p.alternates, func(a Alternate) bool { return a.Spec().Name == name })
	if i < 0 {
		return nil
	}
	return p.alternates[i]
}

// Choose gives a device whose screen and touches belong to one driver. It does no I/O: a driver that does not work fails at its first
// use.
func (p *Pool) Choose(h *Handle, c Choice) (*Handle, error) {
	part, err := p.partOf(h, c)
	if err != nil {
		return nil, err
	}
	mine := *h
	mine.Device, mine.lead = h.parts.Led(part), c.Driver
	return &mine, nil
}

// Drives reports whether an alternate has this name.
func (p *Pool) Drives(name string) bool { return p.alternate(name) != nil }

// Chosen reports whether an alternate has a device open at an address.
func (p *Pool) Chosen(h *Handle, c Choice) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := h.others[c.Driver]
	return was.part != nil && was.at == c.At
}

// Lend adds one ability of an alternate to a device. The device's own drivers come first.
func (p *Pool) Lend(h *Handle, c Choice, ability func(device.Device) device.Device) (*Handle, error) {
	part, err := p.partOf(h, c)
	if err != nil {
		return nil, err
	}
	lent := ability(part)
	if lent == nil {
		return h, nil
	}
	with, is := h.Device.(*device.Composite)
	if !is {
		return h, nil
	}
	mine := *h
	mine.Device = with.With(lent)
	return &mine, nil
}

// partOf is a device as one driver opens it.
func (p *Pool) partOf(h *Handle, c Choice) (device.Device, error) {
	for _, part := range h.parts.Parts() {
		if part.Driver() == c.Driver {
			return part, nil
		}
	}
	a := p.alternate(c.Driver)
	if a == nil || h.guest {
		return nil, p.notIts(h, c.Driver)
	}
	if c.At == "" {
		c.At = a.Spec().Usual
	}
	return p.opens(h, a, c.At), nil
}

// opens gives the device that an alternate has open, or opens it. Each alternate has one address per device: opens closes a device that
// is open at another address.
func (p *Pool) opens(h *Handle, a Alternate, at string) device.Device {
	p.mu.Lock()
	name := a.Spec().Name
	was := h.others[name]
	if was.part != nil && was.at == at {
		p.mu.Unlock()
		return was.part
	}
	part := a.Open(h.parts.Info(), at)
	h.others[name] = alternate{at, part}
	p.mu.Unlock()
	if was.part != nil {
		if err := was.part.Close(); err != nil {
			p.log.Warn("closing what drove a device", "driver", name, "error", err)
		}
	}
	return part
}

// mayBeDrivenBy are the names of the drivers that may look at a device and touch it. Drivers that list the device come first.
func (p *Pool) mayBeDrivenBy(h *Handle) (names []string) {
	for _, part := range h.parts.Parts() {
		if _, sees := device.Has[device.Eyes](part); sees {
			names = append(names, part.Driver())
		}
	}
	if h.guest {
		return names
	}
	for _, a := range p.alternates {
		if a.Spec().Can(h.Info().Type) {
			names = append(names, a.Spec().Name)
		}
	}
	return names
}

// notIts is the fault for a driver that does not drive a device.
func (p *Pool) notIts(h *Handle, driver string) error {
	can := p.mayBeDrivenBy(h)
	f := fault.New(fault.DriverFailed, "the driver %s does not drive %s (%s)", driver, h.Info().Name, h.Info().Type).
		WithDispatch(fault.NotDispatched).With("driver", driver).With("drivers", can)
	if len(can) == 0 {
		return f
	}
	return f.WithHint("%s can be driven by %s: %s", h.Info().Name, strings.Join(can, ", "), useDriver(can[0]))
}

// useDriver is the call that chooses a driver.
func useDriver(name string) string { return hint.Do("session_set_defaults", "driver", name) }

// Explained adds the other drivers of the device to the fault of a chosen driver that does not work. It never switches drivers.
func (p *Pool) Explained(h *Handle, err error) error {
	f, is := fault.In(err)
	if !is || h.lead == "" || f.Dispatched != fault.NotDispatched || f.Code != fault.DriverFailed && f.Code != fault.AgentFailed {
		return err
	}
	var others []string
	for _, name := range p.mayBeDrivenBy(h) {
		if name != h.lead {
			others = append(others, fmt.Sprintf("or use %s: %s", name, useDriver(name)))
		}
	}
	return f.With("driver", h.lead).WithHint("%s", strings.Join(append([]string{f.Hint}, others...), "; "))
}

// Agents are the agents of a device: of the drivers that list it, and of the alternates that were chosen for it.
func (p *Pool) Agents(h *Handle) (agents []device.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	parts := slices.Clone(h.parts.Parts())
	for _, name := range slices.Sorted(maps.Keys(h.others)) {
		parts = append(parts, h.others[name].part)
	}
	for _, part := range parts {
		if a, has := device.Has[device.Agent](part); has {
			agents = append(agents, a)
		}
	}
	return agents
}

// ProbeAlternate asks the server of an alternate for its identity.
func (p *Pool) ProbeAlternate(ctx context.Context, c Choice) (string, error) {
	a := p.alternate(c.Driver)
	if a == nil {
		return "", fmt.Errorf("unknown driver %q", c.Driver)
	}
	if c.At == "" {
		c.At = a.Spec().Usual
	}
	return a.Probe(ctx, c.At)
}

// closeOthers closes the alternates' devices.
func (p *Pool) closeOthers(h *Handle) error {
	p.mu.Lock()
	others := slices.Collect(maps.Values(h.others))
	clear(h.others)
	p.mu.Unlock()
	var errs []error
	for _, o := range others {
		errs = append(errs, o.part.Close())
	}
	return errors.Join(errs...)
}
