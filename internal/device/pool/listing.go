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
	// fresh is the maximum age of a listing for the choice of a device. Asking the tools takes half a second on a Mac.
	fresh = 2 * time.Second
	// listWait is the maximum time for a driver to list its devices.
	listWait = 30 * time.Second
)

// source is one driver and its last answer.
type source struct {
	driver device.Driver
	busy   bool // a question is under way
	last   answer
}

// answer is a driver's answer.
type answer struct {
	turn    uint64 // turn of the question; 0: never
	ended   uint64 // turn of the answer
	changes uint64
	began   time.Time
	infos   []device.Info
	err     error
}

// part is one driver's view of a device.
type part struct {
	source *source
	info   device.Info
}

// listing is the last answer of every driver. A device of several drivers appears once.
type listing struct {
	infos  []device.Info
	parts  map[string][]part // by key
	failed []error           // errors of drivers that could not list their devices
}

// key normalizes the spellings that tools use for a udid.
func key(udid string) string { return strings.ToUpper(udid) }

// find gives a device of the listing by one of its ids.
func (l *listing) find(id string) (device.Info, bool) {
	if i := slices.IndexFunc(l.infos, func(i device.Info) bool { return i.Is(id) }); i >= 0 {
		return l.infos[i], true
	}
	return device.Info{}, false
}

// add adds one driver's view of a device.
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

// explain adds the failed drivers to a device-not-found fault, because the device may belong to one of them. If a missing disk stopped
// a driver, the fault is the disk's: with the disk, the device appears. If a tool failed and no simulator is listed, the fault is the
// tool's: the devices are unknown. An empty list without a failure is a new Xcode without a runtime.
func (l *listing) explain(err error) error {
	if len(l.failed) == 0 && len(l.infos) == 0 && fault.Is(err, fault.NoDevice) {
		f := *fault.From(err)
		f.Hint = device.InstallRuntime
		return &f
	}
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

// broken is the tool failure that explains an empty list of simulators.
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

// List asks every driver for its devices. A failing driver does not hide the devices of the others; its error counts if the list is
// empty.
func (p *Pool) List(ctx context.Context) ([]device.Info, error) {
	l, err := p.listed(ctx, 0, nil)
	if err != nil {
		return []device.Info{}, err
	}
	return slices.Clone(l.infos), nil
}

// Last is a device of the latest listing. It asks no driver.
func (p *Pool) Last(udid string) (device.Info, bool) {
	l := p.latest()
	return l.find(udid)
}

// Notice says, for people, which drivers could not list their devices the last time; empty if all could.
func (p *Pool) Notice() string { return p.latest().unlisted() }

// Unlisted is the reason why a driver could not list its devices the last time; nil if all could.
func (p *Pool) Unlisted() error {
	if failed := p.latest().failed; len(failed) > 0 {
		return failed[0]
	}
	return nil
}

// enough reports whether a listing suffices although some drivers have not answered yet. answered reports whether the first driver of a
// device has answered.
type enough func(l *listing, answered func(device.Info) bool) bool

// listed gives a listing that began at most this long ago; with 0, after the call. Callers of the same moment share one listing. listed
// does not wait for slow drivers once the listing suffices.
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

// hear waits until a driver answers. The caller holds the mutex; hear releases it while it waits.
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

// orError gives the listing, or an error if all devices are unknown because drivers failed.
func (l *listing) orError() (*listing, error) {
	if len(l.infos) == 0 && len(l.failed) > 0 {
		return nil, l.failed[0]
	}
	return l, nil
}

// young reports whether a driver's last answer is new enough for a caller.
func (p *Pool) young(s *source, mine uint64, most time.Duration) bool {
	a := s.last
	if a.turn >= mine || a.err != nil && a.ended >= mine { // a caller waits for one failure only
		return true
	}
	return a.turn > 0 && a.err == nil && a.changes == p.changes && p.now().Sub(a.began) < most
}

// ask asks a driver, unless a question is under way. The question continues when its caller leaves.
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
		p.leases.Poke() // the answer may have a device that a caller waits for
	})
}

// listError wraps a driver's listing error and keeps its fault.
func listError(d device.Driver, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Timeout, "the driver %s did not list its devices within %s", d.Name(), listWait)
	}
	return fmt.Errorf("the driver %s could not list its devices: %w", d.Name(), err)
}

// note stores a driver's answer.
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

// Refresh asks the drivers now, and starts the repair of every quarantined device. It returns the number of devices.
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

// Changed invalidates the listing after a device was switched on, switched off or erased.
func (p *Pool) Changed() { p.stale() }

// stale makes the next choice list the devices again, because the pool itself changed one.
func (p *Pool) stale() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
}
