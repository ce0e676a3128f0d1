// Package pool knows the devices there are and hands them out: by udid, by name, as the session's current one, or as
// the only one booted. It never guesses between two.
package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/nearest"
)

// Pool finds and opens devices. It is safe for concurrent use.
type Pool struct {
	drivers []device.Driver

	mu   sync.Mutex
	open map[string]*Handle
}

// Handle is an opened device with its lane.
type Handle struct {
	device.Device
	Lane *device.Lane
}

// New makes a pool over drivers, asked in this order.
func New(drivers ...device.Driver) *Pool {
	return &Pool{drivers: drivers, open: map[string]*Handle{}}
}

// Criteria say which device is meant. Empty criteria mean the current one, else the only one booted.
type Criteria struct {
	UDID    string
	Name    string
	Current string // the session's current device
	AnyIdle bool   // nothing named and nothing booted: take the only one there is (for boot)
}

// List asks every driver for its devices.
func (p *Pool) List(ctx context.Context) ([]device.Info, error) {
	infos, _, err := p.survey(ctx)
	return infos, err
}

// survey asks every driver, and tells whose each device is. One driver that fails does not hide the others' devices;
// its error counts when there are none.
func (p *Pool) survey(ctx context.Context) (all []device.Info, whose map[string]device.Driver, err error) {
	all, whose = []device.Info{}, map[string]device.Driver{}
	for _, d := range p.drivers {
		infos, failed := d.List(ctx)
		if failed != nil {
			err = failed
		}
		for _, i := range infos {
			whose[i.UDID] = d
		}
		all = append(all, infos...)
	}
	if len(all) > 0 {
		err = nil
	}
	return all, whose, err
}

// Resolve finds the one device that is meant and opens it. A device that is open already is found without asking any
// tool: the path of an action spawns no process.
func (p *Pool) Resolve(ctx context.Context, c Criteria) (*Handle, error) {
	if h := p.known(c); h != nil {
		return h, nil
	}
	infos, whose, err := p.survey(ctx)
	if err != nil {
		return nil, err
	}
	info, err := choose(infos, c)
	if err != nil {
		return nil, err
	}
	return p.openDevice(whose[info.UDID], info), nil
}

// known is an open device that the criteria name by its udid, or by being the current one.
func (p *Pool) known(c Criteria) *Handle {
	switch {
	case c.Name != "":
		return nil
	case c.UDID != "":
		return p.opened(c.UDID)
	}
	return p.opened(c.Current)
}

func (p *Pool) opened(udid string) *Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[udid]
}

func (p *Pool) openDevice(d device.Driver, info device.Info) *Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.open[info.UDID]
	if !ok {
		h = &Handle{Device: d.Open(info), Lane: device.NewLane()}
		p.open[info.UDID] = h
	}
	return h
}

// Close closes every open device.
func (p *Pool) Close() error {
	p.mu.Lock()
	handles := p.open
	p.open = map[string]*Handle{}
	p.mu.Unlock()
	var errs []error
	for _, h := range handles {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

func choose(infos []device.Info, c Criteria) (device.Info, error) {
	switch {
	case c.UDID != "":
		return one(infos, "udid", c.UDID, func(i device.Info) bool {
			return strings.EqualFold(i.UDID, c.UDID) && (c.Name == "" || strings.EqualFold(i.Name, c.Name))
		})
	case c.Name != "":
		return named(infos, c.Name)
	case c.Current != "":
		if i := slices.IndexFunc(infos, func(i device.Info) bool { return i.UDID == c.Current }); i >= 0 {
			return infos[i], nil
		}
	}
	return implied(infos, c)
}

// named prefers a booted device among several of one name: that is the one on the user's screen.
func named(infos []device.Info, name string) (device.Info, error) {
	is := func(i device.Info) bool { return strings.EqualFold(i.Name, name) || strings.EqualFold(i.UDID, name) }
	if booted := filter(infos, func(i device.Info) bool { return is(i) && i.State == device.Booted }); len(booted) == 1 {
		return booted[0], nil
	}
	return one(infos, "name", name, is)
}

func one(infos []device.Info, what, value string, is func(device.Info) bool) (device.Info, error) {
	switch found := filter(infos, is); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return device.Info{}, notFound(infos, what, value)
	default:
		return device.Info{}, ambiguous(found, fmt.Sprintf("%d devices have the %s %q", len(found), what, value))
	}
}

func implied(infos []device.Info, c Criteria) (device.Info, error) {
	booted := filter(infos, func(i device.Info) bool { return i.State == device.Booted })
	usable := filter(infos, func(i device.Info) bool { return i.Available })
	switch {
	case len(booted) == 1:
		return booted[0], nil
	case len(booted) > 1:
		return device.Info{}, fault.New(fault.NoDevice, "%d devices are booted and none was named: %s", len(booted), briefly(booted)).
			WithHint("pass --udid or --sim").With("candidates", booted)
	case c.AnyIdle && len(usable) == 1:
		return usable[0], nil
	case c.AnyIdle:
		return device.Info{}, fault.New(fault.NoDevice, "no device was named").WithHint("pass --udid or --sim; `ios-agent list-sims` shows what there is").
			With("candidates", usable)
	}
	return device.Info{}, fault.New(fault.NoDevice, "no device is booted and none was named").With("candidates", usable)
}

func ambiguous(found []device.Info, message string) error {
	return fault.New(fault.DeviceAmbiguous, "%s", message).With("candidates", found)
}

func notFound(infos []device.Info, what, value string) error {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	slices.Sort(names)
	f := fault.New(fault.DeviceNotFound, "no device has the %s %q", what, value)
	if near := nearest.To(value, slices.Compact(names), 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f
}

func filter(infos []device.Info, keep func(device.Info) bool) []device.Info {
	var out []device.Info
	for _, i := range infos {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}
