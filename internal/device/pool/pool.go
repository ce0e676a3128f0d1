// Package pool knows the devices there are and hands them out: by udid, by another id that a tool has for the device, by
// name, as the session's current one, or as the only simulator booted. It never guesses between two. Several drivers may
// know the same device: then it is one device with the abilities of all of them, and one lease. The pool hands a device to
// one holder at a time, tells who has which, boots and probes what it gives, and keeps broken ones aside.
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

// Options are what a pool works with.
type Options struct {
	Drivers []device.Driver // asked all at once; what the first ones say of a device counts before the others'
	Openers []Opener        // of devices that no driver lists
	// Alternates drive devices that drivers list, where they are chosen; the best one first.
	Alternates []Alternate
	// Leases say who may drive what; nil is a table that forgets when the process ends.
	Leases *lease.Table
	// Implicit is how long the lease lasts that the first command on a free device takes; 0 takes none.
	Implicit time.Duration
	// Handover is called when a device is driven under a new lease for the first time, before anything is done on it. It ends
	// what sessions left running there that may not drive the device any more.
	Handover func(ctx context.Context, udid string, drives func(session string) bool)
	// Client says who works for a holder: which program, and where. Nil or empty: nobody knows.
	Client func(holder string) string
	Now    func() time.Time // time.Now if nil
	Log    *slog.Logger
}

// Pool finds and opens devices. It is safe for concurrent use.
type Pool struct {
	drivers []device.Driver
	openers []Opener

	alternates []Alternate
	choices    []device.DriverSpec // what the alternates are
	leases     *lease.Table
	own        bool // the table of leases is ours to close
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
	handed  map[string]uint64 // the lease under which a device was last driven
	sources []*source
	turn    uint64                 // counts the callers that asked for a listing
	changes uint64                 // counts what we changed ourselves: answers from before are old
	seen    *listing               // what all drivers said last
	heard   chan struct{}          // closed when the next driver answers
	worked  map[string]time.Time   // when a device last proved to work
	aside   map[string]*Quarantine // broken ones
	waiting int                    // callers that wait for a device
	look    context.CancelFunc     // ends the looking for them
}

// Handle is an opened device with its lane, and who works with it.
type Handle struct {
	device.Device
	Lane *device.Lane

	parts  *device.Composite
	from   map[*source]bool     // whose parts it has
	others map[string]alternate // by driver; guarded by the pool's mutex
	holder string
	drives bool
	guest  bool   // an opener opened it
	lead   string // the driver that was chosen; empty: none was
	leased func(epoch uint64)
}

// For is the handle for a holder, who drives the device or only looks at it.
func (h *Handle) For(holder string, drives bool) *Handle {
	mine := *h
	mine.holder, mine.drives = holder, drives
	return &mine
}

// Leased is the handle with a function that is told under which lease each command runs, when it is its turn.
func (h *Handle) Leased(tell func(epoch uint64)) *Handle {
	mine := *h
	mine.leased = tell
	return &mine
}

// Driver is the session that drives the device with this handle; empty for one that only looks.
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

// openDevice opens a device of a listing, or gives the one that is open.
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

// grow adds the parts of drivers that did not know the device before. Open does no I/O.
func (h *Handle) grow(parts []part) {
	for _, p := range parts {
		if !h.from[p.source] {
			h.from[p.source] = true
			h.parts.Add(p.source.driver.Open(p.info))
		}
	}
}

// Close ends what goes on in the background and closes every open device, all at the same time: an agent may take seconds to leave.
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
