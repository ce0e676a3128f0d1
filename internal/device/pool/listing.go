package pool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

const (
	// fresh is how old a listing may be that devices are chosen from. Asking the tools takes half a second on a Mac.
	fresh = 2 * time.Second
	// listWait is how long a driver may take to list its devices.
	listWait = 30 * time.Second
)

// source is one driver, and what it said last.
type source struct {
	driver device.Driver
	busy   bool // it is being asked
	last   answer
}

// answer is what a driver said.
type answer struct {
	turn    uint64 // when it was asked; 0: never
	ended   uint64 // the turn in which it answered
	changes uint64
	began   time.Time
	infos   []device.Info
	err     error
}

// part is a device as one driver knows it.
type part struct {
	source *source
	info   device.Info
}

// listing is what the drivers said last. A device that several drivers know is one device.
type listing struct {
	infos  []device.Info
	parts  map[string][]part // by key
	failed []error           // of drivers that could not list their devices
}

// key makes one key of the ways in which tools write a udid.
func key(udid string) string { return strings.ToUpper(udid) }

// find gives a device of the listing, by one of its ids.
func (l *listing) find(id string) (device.Info, bool) {
	if i := slices.IndexFunc(l.infos, func(i device.Info) bool { return i.Is(id) }); i >= 0 {
		return l.infos[i], true
	}
	return device.Info{}, false
}

// add adds a device as one driver knows it.
func (l *listing) add(s *source, info device.Info) {
	k := key(info.UDID)
	if len(l.parts[k]) == 0 {
		l.infos = append(l.infos, info)
	} else {
		i := slices.IndexFunc(l.infos, func(i device.Info) bool { return key(i.UDID) == k })
		l.infos[i] = l.infos[i].Merge(info)
	}
	l.parts[k] = append(l.parts[k], part{s, info})
}

// explain adds to a fault about a device that was not found which drivers could not list theirs: it may be one of those. Where a disk kept
// one from it, that is the fault: who mends it finds the device. Where a tool failed and no simulator is known, nobody knows what there is:
// the fault is the tool's.
func (l *listing) explain(err error) error {
	if len(l.failed) == 0 || !fault.Is(err, fault.DeviceNotFound) && !fault.Is(err, fault.NoDevice) {
		return err
	}
	f := *fault.From(err)
	for _, why := range l.failed {
		if disk, is := fault.OfDisk(why); is {
			return disk.WithDispatch(f.Dispatched)
		}
	}
	if broken, is := l.broken(); is {
		return broken.WithDispatch(f.Dispatched)
	}
	f.Message += "; " + l.unlisted()
	return &f
}

// broken is the failure of a tool because of which no simulator is listed.
func (l *listing) broken() (*fault.Fault, bool) {
	if slices.ContainsFunc(l.infos, simulated) {
		return nil, false
	}
	for _, why := range l.failed {
		if f, is := fault.In(why); is && f.Code.Status() >= http.StatusInternalServerError {
			told := *f
			told.Message = why.Error()
			return &told, true
		}
	}
	return nil, false
}

// unlisted says which drivers could not list their devices.
func (l *listing) unlisted() string {
	said := make([]string, len(l.failed))
	for i, err := range l.failed {
		said[i] = err.Error()
	}
	return strings.Join(said, "; ")
}

// List asks every driver for its devices. A driver that fails does not hide the devices of the others; its error counts
// when there are none.
func (p *Pool) List(ctx context.Context) ([]device.Info, error) {
	l, err := p.listed(ctx, 0, nil)
	if err != nil {
		return []device.Info{}, err
	}
	return slices.Clone(l.infos), nil
}

// Last is a device as the drivers listed it last. It asks nobody.
func (p *Pool) Last(udid string) (device.Info, bool) {
	l := p.latest()
	return l.find(udid)
}

// Notice says which drivers could not list their devices when they were asked last, for people: empty when none.
func (p *Pool) Notice() string { return p.latest().unlisted() }

// Unlisted is why a driver could not list its devices when it was asked last; nil when all could.
func (p *Pool) Unlisted() error {
	if failed := p.latest().failed; len(failed) > 0 {
		return failed[0]
	}
	return nil
}

// enough reports whether a listing will do although some drivers have not answered yet; answered tells whether the driver
// has whose word on a device counts first.
type enough func(l *listing, answered func(device.Info) bool) bool

// listed gives a listing that was begun no longer ago than most; with 0, after the call. Callers that come together share
// one. It does not wait for slow drivers when what it has is enough.
func (p *Pool) listed(ctx context.Context, most time.Duration, will enough) (*listing, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn++
	mine := p.turn
	for {
		pending := 0
		for _, s := range p.sources {
			if !p.young(s, mine, most) {
				pending++
				p.ask(s)
			}
		}
		answered := func(i device.Info) bool {
			return p.young(p.seen.parts[key(i.UDID)][0].source, mine, most)
		}
		if pending == 0 || will != nil && will(p.seen, answered) {
			return p.seen.orError()
		}
		if err := p.hear(ctx); err != nil {
			return nil, err
		}
	}
}

// hear waits until a driver answers. The caller holds the mutex, which is given up meanwhile.
func (p *Pool) hear(ctx context.Context) error {
	heard := p.heard
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-heard:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.life.Done():
		return errors.New("the pool is closed")
	}
}

// orError gives the listing, or an error when nothing is known because drivers failed.
func (l *listing) orError() (*listing, error) {
	if len(l.infos) == 0 && len(l.failed) > 0 {
		return nil, l.failed[0]
	}
	return l, nil
}

// young reports whether a driver's last answer will do for a caller.
func (p *Pool) young(s *source, mine uint64, most time.Duration) bool {
	a := s.last
	if a.turn >= mine || a.err != nil && a.ended >= mine { // a failure is not waited for twice
		return true
	}
	return a.turn > 0 && a.err == nil && a.changes == p.changes && p.now().Sub(a.began) < most
}

// ask asks a driver, unless it is being asked. The question is nobody's own: it goes on when its caller leaves.
func (p *Pool) ask(s *source) {
	if s.busy || p.life.Err() != nil {
		return
	}
	s.busy = true
	asked := answer{turn: p.turn, changes: p.changes, began: p.now()}
	p.work.Go(func() {
		ctx, cancel := context.WithTimeout(p.life, listWait)
		defer cancel()
		asked.infos, asked.err = s.driver.List(ctx)
		if asked.err != nil {
			asked.err = listError(s.driver, asked.err)
			p.log.Warn("listing devices", "driver", s.driver.Name(), "error", asked.err)
		}
		p.note(s, asked)
		p.leases.Poke() // somebody may wait for what is new
	})
}

// listError says that a driver could not list its devices, and keeps the fault that says why.
func listError(d device.Driver, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Timeout, "the driver %s did not list its devices within %s", d.Name(), listWait)
	}
	return fmt.Errorf("the driver %s could not list its devices: %w", d.Name(), err)
}

// note keeps what a driver said.
func (p *Pool) note(s *source, said answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	said.ended = p.turn
	s.busy, s.last = false, said
	l := &listing{parts: map[string][]part{}}
	for _, s := range p.sources {
		for _, i := range s.last.infos {
			l.add(s, i)
		}
		if s.last.err != nil {
			l.failed = append(l.failed, s.last.err)
		}
	}
	p.seen = l
	for udid, h := range p.open {
		h.grow(l.parts[key(udid)])
	}
	close(p.heard)
	p.heard = make(chan struct{})
}

// Refresh asks the drivers now, and begins to repair every device that is put aside.
func (p *Pool) Refresh(ctx context.Context) (int, error) {
	p.repairAll()
	l, err := p.listed(ctx, 0, nil)
	if err != nil {
		return 0, err
	}
	return len(l.infos), nil
}

func (p *Pool) latest() *listing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// Changed says that a device was switched on, off or erased: what was listed before is old.
func (p *Pool) Changed() { p.stale() }

// stale makes the next choice ask again: we changed something ourselves.
func (p *Pool) stale() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
}
