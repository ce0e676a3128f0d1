// Package pool finds devices and hands them out. A Pool resolves a udid, another id of a tool, a name, the session's current device or
// the only booted simulator, and never guesses between two devices. A device of several drivers is one device with the abilities of all
// of them and one lease. The pool gives a device to one holder at a time, reports all holders, boots and probes the devices it hands
// out, and keeps broken ones in quarantine.
package pool

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
)

// Options configure a pool.
type Options struct {
	Drivers []device.Driver // asked in parallel; the answer of an earlier driver counts before the others'
	Openers []Opener        // for devices that no driver lists
	// Alternates drive the devices of other drivers where a caller chooses them, in order of preference.
	Alternates []Alternate
	// Leases say which session may drive a device; nil is a table in memory.
	Leases *lease.Table
	// Implicit is the lifetime of the lease that the first command on a free device takes; 0 takes none.
	Implicit time.Duration
	// Handover is called before the first command under a new lease. It ends everything on the device that belongs to sessions without
	// the right to drive it.
	Handover func(ctx context.Context, udid string, drives func(session string) bool)
	// Client is the program and place behind a holder, for messages. It may be nil, and empty if unknown.
	Client func(holder string) string
	Now    func() time.Time // time.Now if nil
	Log    *slog.Logger
}

// Pool finds and opens devices. It is safe for concurrent use.
type Pool struct {
	drivers []device.Driver
	openers []Opener

	alternates []Alternate
	choices    []device.DriverSpec // of the alternates
	leases     *lease.Table
	own        bool // Close closes the table of leases
	implicit   time.Duration
	handover   func(ctx context.Context, udid string, drives func(session string) bool)
	client     func(holder string) string
	now        func() time.Time
	log        *slog.Logger

	life context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	open    map[string]*Handle
	handed  map[string]uint64 // epoch of the last lease that drove a device
	sources []*source
	turn    uint64                 // number of callers that asked for a listing
	changes uint64                 // number of changes by the pool: earlier answers are out of date
	seen    *listing               // last answers of all drivers
	heard   chan struct{}          // closed when the next driver answers
	worked  map[string]time.Time   // time of a device's last successful probe
	aside   map[string]*Quarantine // broken devices
	waiting int                    // number of callers that wait for a device
	look    context.CancelFunc     // ends the repeated listing for them
}

// Handle is an opened device with its lane and its session.
type Handle struct {
	device.Device
	Lane *device.Lane

	parts  *device.Composite
	from   map[*source]bool     // sources of its parts
	others map[string]alternate // by driver; guarded by the pool's mutex
	holder string
	drives bool
	guest  bool   // an opener opened the device
	lead   string // the chosen driver; may be empty
	leased func(epoch uint64)
}

// For is the handle for a holder that drives the device or only looks at it.
func (h *Handle) For(holder string, drives bool) *Handle {
	mine := *h
	mine.holder, mine.drives = holder, drives
	return &mine
}

// Leased is the handle with a function that gets the lease of each command when its turn comes.
func (h *Handle) Leased(tell func(epoch uint64)) *Handle {
	mine := *h
	mine.leased = tell
	return &mine
}

// Driver is the session that drives the device with this handle; empty for a session that only looks.
func (h *Handle) Driver() string {
	if !h.drives {
		return ""
	}
	return h.holder
}

// New makes a pool.
func New(o Options) *Pool {
	p := &Pool{
		drivers: o.Drivers, openers: o.Openers, alternates: o.Alternates, leases: o.Leases,
		implicit: o.Implicit, handover: o.Handover, client: o.Client, now: o.Now, log: o.Log,
		open: map[string]*Handle{}, handed: map[string]uint64{}, seen: &listing{}, heard: make(chan struct{}),
		worked: map[string]time.Time{}, aside: map[string]*Quarantine{},
	}
	for _, a := range p.alternates {
		p.choices = append(p.choices, a.Spec())
	}
	if p.leases == nil {
		p.leases, p.own = lease.NewTable(lease.Options{}), true
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.client == nil {
		p.client = func(string) string { return "" }
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	for _, d := range o.Drivers {
		p.sources = append(p.sources, &source{driver: d})
	}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Drivers are the pool's drivers in their order.
func (p *Pool) Drivers() []device.Driver { return p.drivers }

// Open are the open devices by udid.
func (p *Pool) Open() []*Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*Handle
	for _, udid := range slices.Sorted(maps.Keys(p.open)) {
		all = append(all, p.open[udid])
	}
	return all
}

// opened is an open device by one of its ids.
func (p *Pool) opened(id string) *Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.open[id]; h != nil {
		return h
	}
	for _, h := range p.open {
		if h.Info().Is(id) {
			return h
		}
	}
	return nil
}

// openDevice opens a device of a listing, or gives the device that is already open.
func (p *Pool) openDevice(l *listing, info device.Info) *Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.open[info.UDID]
	if h == nil {
		parts := device.ComposeFor(p.choices)
		h = &Handle{Device: parts, Lane: device.NewLane(), parts: parts, from: map[*source]bool{}, others: map[string]alternate{}}
		p.open[info.UDID] = h
	}
	h.grow(l.parts[key(info.UDID)])
	return h
}

// grow adds the parts of drivers that have listed the device since. Open does no I/O.
func (h *Handle) grow(parts []part) {
	for _, p := range parts {
		if !h.from[p.source] {
			h.from[p.source] = true
			h.parts.Add(p.source.driver.Open(p.info))
		}
	}
}

// Close ends the background work and closes all open devices in parallel, because an agent may take seconds to exit.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.work.Wait()
	p.mu.Lock()
	handles := p.open
	p.open = map[string]*Handle{}
	p.mu.Unlock()
	closed := make(chan error, len(handles))
	for _, h := range handles {
		go func() { closed <- errors.Join(p.closeOthers(h), h.Close()) }()
	}
	var errs []error
	for range handles {
		errs = append(errs, <-closed)
	}
	if p.own {
		errs = append(errs, p.leases.Close())
	}
	return errors.Join(errs...)
}
