// Package pool knows the devices there are and hands them out: by udid, by name, as the session's current one, or as
// the only one booted. It never guesses between two. With leases it hands them out to one holder at a time, tells who has
// which, boots and probes what it gives, and keeps broken ones aside.
package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
)

// Pool finds and opens devices. It is safe for concurrent use.
type Pool struct {
	// Leases say who may drive what; nil keeps nobody from anything. All fields are set before the first use.
	Leases *lease.Table
	// Implicit is how long the lease lasts that the first command on a free device takes; 0 takes none.
	Implicit time.Duration
	Now      func() time.Time // time.Now if nil
	Log      *slog.Logger

	drivers []device.Driver
	asking  chan struct{} // one caller at a time asks the drivers

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	open    map[string]*Handle
	seen    *listing
	worked  map[string]time.Time   // when a device last proved to work
	aside   map[string]*Quarantine // broken ones
	waiting int                    // callers that wait for a device
	look    context.CancelFunc     // ends the looking for them
}

// Handle is an opened device with its lane, and who works with it.
type Handle struct {
	device.Device
	Lane *device.Lane

	holder string
	drives bool
}

// For is the handle in the hands of a holder, who drives the device or only looks at it.
func (h *Handle) For(holder string, drives bool) *Handle {
	mine := *h
	mine.holder, mine.drives = holder, drives
	return &mine
}

// New makes a pool over drivers, asked in this order.
func New(drivers ...device.Driver) *Pool {
	p := &Pool{
		drivers: drivers, asking: make(chan struct{}, 1), open: map[string]*Handle{},
		worked: map[string]time.Time{}, aside: map[string]*Quarantine{},
	}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

func (p *Pool) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

func (p *Pool) log() *slog.Logger {
	if p.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return p.Log
}

// Criteria say which device is meant. Empty criteria mean the current one, else the only one booted.
type Criteria struct {
	UDID    string
	Name    string
	Current string // the session's current device
	Holder  string // whose device it is to be, where nothing is named: its own, else one that is not another's
	AnyIdle bool   // nothing named and nothing booted: take the only one there is (for boot)
}

// List asks every driver for its devices.
func (p *Pool) List(ctx context.Context) ([]device.Info, error) {
	l, err := p.ask(ctx)
	if err != nil {
		return []device.Info{}, err
	}
	return l.infos, nil
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
	if c.UDID == "" && c.Name == "" && c.Current == "" {
		c.Current = p.only(c.Holder)
	}
	if h := p.known(c); h != nil {
		return h, nil
	}
	l, err := p.ask(ctx)
	if err != nil {
		return nil, err
	}
	info, err := choose(l.infos, c, p.others(c.Holder))
	if err != nil {
		return nil, err
	}
	return p.openDevice(l.whose[info.UDID], info), nil
}

// only is the device a holder has, if it has exactly one. What is named or current is never looked up here.
func (p *Pool) only(holder string) (udid string) {
	if p.Leases == nil || holder == "" {
		return ""
	}
	for _, l := range p.Leases.All() {
		if l.Holder != holder {
			continue
		}
		if udid != "" {
			return ""
		}
		udid = l.Resource
	}
	return udid
}

// others reports which devices somebody else holds.
func (p *Pool) others(holder string) func(udid string) bool {
	return func(udid string) bool {
		if p.Leases == nil || holder == "" {
			return false
		}
		l := p.Leases.Get(udid)
		return l.Held() && l.Holder != holder
	}
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

// Drivers are those the pool asks, in its order.
func (p *Pool) Drivers() []device.Driver { return p.drivers }

// Open are the devices that were opened, by udid.
func (p *Pool) Open() []*Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*Handle
	for _, udid := range slices.Sorted(maps.Keys(p.open)) {
		all = append(all, p.open[udid])
	}
	return all
}

// Close ends what goes on in the background and closes every open device.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.work.Wait()
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

func choose(infos []device.Info, c Criteria, others func(string) bool) (device.Info, error) {
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
	return implied(infos, c, others)
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

// implied is the only device booted, or the only one of several that is not somebody else's.
func implied(infos []device.Info, c Criteria, others func(string) bool) (device.Info, error) {
	booted := filter(infos, func(i device.Info) bool { return i.State == device.Booted })
	if len(booted) > 1 {
		if mine := filter(booted, func(i device.Info) bool { return !others(i.UDID) }); len(mine) == 1 {
			return mine[0], nil
		}
	}
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
		return f.WithHint(`did you mean "%s"?`, strings.Join(near, `" or "`))
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
