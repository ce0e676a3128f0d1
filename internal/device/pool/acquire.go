package pool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
)

// ClaimTime is the lifetime of an unused claim.
const ClaimTime = 30 * time.Minute

// Ask says which devices a holder wants, and how.
type Ask struct {
	Want
	Holder   string
	By       string                   // the session that asks in the holder's name, and may drive too; empty or the holder: none
	Count    int                      // number of devices, all or none; 0 is one
	On       bool                     // hand over booted devices only
	Boot     bool                     // boot shut-down devices if needed
	BootWait time.Duration            // maximum time of a boot
	Wait     time.Duration            // maximum time to wait for a claimed device; 0 does not wait
	Claim    string                   // the client's id of this claim: a repeat gets the same devices; may be empty
	Reset    string                   // what happens to the device at its release; see Resets
	Tell     func(string)             // gets progress texts; may be nil
	Env      func(name string) string // as in Criteria

	passing bool // the device is released at once
}

// wish identifies a claim's devices and options, to compare claims of the same id. The wait time is not part of it.
func (a Ask) wish() string {
	if a.Claim == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %+q %d %t %t %q", a.Holder, a.By, a.Want, max(a.Count, 1), a.On, a.Boot, a.Reset))
	return hex.EncodeToString(sum[:8])
}

// kind is the kind of the lease. A claim that ends at once leaves the holder's own lease unchanged.
func (a Ask) kind() lease.Kind {
	if a.passing {
		return lease.Implicit
	}
	return lease.Claim
}

// Grant is a device that was handed over.
type Grant struct {
	Info   device.Info
	Lease  lease.Lease
	Booted bool // the device was booted for this claim
}

// Acquire hands devices to a holder. It chooses and claims them in one step, and then boots them if needed. A device that turns out to
// be broken goes into quarantine and Acquire tries the next one. If no other device is left, Acquire returns the broken device's error.
func (p *Pool) Acquire(ctx context.Context, a Ask) ([]Grant, time.Duration, error) {
	if p.opener(a.UDID) != nil {
		began := p.now()
		g, err := p.acquireGuest(ctx, a)
		if err != nil {
			return nil, 0, err
		}
		return []Grant{g}, p.now().Sub(began), nil
	}
	candidates, err := p.candidates(ctx, a)
	if err != nil {
		return nil, 0, err
	}
	var broken error
	var waited time.Duration
	for try := 0; ; try++ {
		grants, took, err := p.take(ctx, a, candidates, a.Wait-waited)
		waited += took
		if err != nil {
			if broken != nil && !errors.Is(err, context.Canceled) {
				return nil, waited, broken
			}
			return nil, waited, p.refusal(ctx, a, waited, err)
		}
		if broken = p.prepare(ctx, a, grants); broken == nil {
			broken = ctx.Err() // the caller has left
		}
		if broken == nil {
			return grants, waited, nil
		}
		p.giveBack(grants)
		if ctx.Err() != nil || try >= mostTries {
			return nil, waited, broken
		}
	}
}

// Find is Acquire for a holder that wants to know a device without claiming it. A free booted device needs no claim. For a wait or a
// boot, Find claims the device for that time, so that only one caller boots it and callers are served in their order.
func (p *Pool) Find(ctx context.Context, a Ask) (Grant, time.Duration, error) {
	g, found, err := p.ready(ctx, a)
	if found || err != nil {
		return g, 0, err
	}
	a.passing = true
	grants, waited, err := p.Acquire(ctx, a)
	if err != nil {
		return Grant{}, waited, err
	}
	p.giveBack(grants)
	return grants[0], waited, nil
}

// ready is the best device that is booted, works, and is free or the holder's.
func (p *Pool) ready(ctx context.Context, a Ask) (Grant, bool, error) {
	if p.opener(a.UDID) != nil {
		e, err := p.guest(ctx, a.UDID, a.Env)
		if err != nil {
			return Grant{}, false, err
		}
		l, err := p.leases.Get(ctx, e.Info().UDID)
		return Grant{Info: e.Info(), Lease: l}, l.Free() || l.DrivenBy(a.Holder), leaseFault(err)
	}
	candidates, err := p.candidates(ctx, a)
	if err != nil {
		return Grant{}, false, err
	}
	leases, err := p.leases.All(ctx)
	if err != nil {
		return Grant{}, false, leaseFault(err)
	}
	for _, udid := range rank(candidates(), a.Holder, func(udid string) lease.Lease { return leases[udid] }) {
		l := leases[udid]
		if !l.Free() && !l.DrivenBy(a.Holder) {
			continue
		}
		info, _ := p.latest().find(udid)
		h, err := p.handle(ctx, udid)
		if err == nil && info.State == device.Booted && p.probe(ctx, h) == nil {
			return Grant{Info: info, Lease: l}, true, nil
		}
	}
	return Grant{}, false, ctx.Err()
}

// mostTries is the maximum number of broken devices that one call tries.
const mostTries = 10

// take claims free devices that match.
func (p *Pool) take(ctx context.Context, a Ask, candidates func() []*device.Info, wait time.Duration) (
	grants []Grant, waited time.Duration, err error) {
	if _, err := p.listed(ctx, fresh, a.Want.found); err != nil {
		return nil, 0, err
	}
	r := lease.Request{
		Holder: a.Holder, By: a.By, Kind: a.kind(), TTL: ClaimTime, Reset: a.Reset, Count: a.Count, Wait: wait > 0,
		Claim: lease.ClaimID{ID: a.Claim, Wish: a.wish()},
		Among: func(look func(string) lease.Lease) []string { return rank(candidates(), a.Holder, look) },
	}
	if r.Wait {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
		defer p.attend()()
	}
	began := p.now()
	leases, err := p.leases.Acquire(ctx, r)
	if r.Wait {
		waited = p.now().Sub(began)
	}
	for _, l := range leases {
		info, _ := p.latest().find(l.Resource)
		grants = append(grants, Grant{Info: info, Lease: l})
	}
	return grants, waited, err
}

// candidates makes sure that a matching device exists; it asks the drivers again before it fails. The function it returns gives the
// matching devices of the latest listing that work; each listing is matched once.
func (p *Pool) candidates(ctx context.Context, a Ask) (func() []*device.Info, error) {
	seen, err := p.listed(ctx, fresh, a.Want.found)
	if err != nil {
		return nil, err
	}
	fits := a.Want.match(seen.infos)
	if len(fits) == 0 {
		if seen, err = p.listed(ctx, 0, a.Want.found); err != nil {
			return nil, err
		}
		if fits = a.Want.match(seen.infos); len(fits) == 0 {
			return nil, seen.explain(noMatch(seen.infos, a.Want))
		}
	}
	return func() []*device.Info {
		if l := p.latest(); l != seen {
			seen, fits = l, a.Want.match(l.infos)
		}
		aside := p.Quarantines()
		able := make([]*device.Info, 0, len(fits))
		for i := range fits {
			_, bad := aside[fits[i].UDID]
			if !bad && (fits[i].State == device.Booted || !a.On || a.Boot) {
				able = append(able, &fits[i])
			}
		}
		return able
	}, nil
}

// handle opens a device of the latest listing.
func (p *Pool) handle(ctx context.Context, udid string) (*Handle, error) {
	if h := p.opened(udid); h != nil {
		return h, nil
	}
	l := p.latest()
	if info, ok := l.find(udid); ok {
		return p.openDevice(p.whole(ctx, l, info), info), nil
	}
	return p.Resolve(ctx, Criteria{UDID: udid})
}

// attend lists the devices again and again while a caller waits, because other programs may boot one.
func (p *Pool) attend() (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting++; p.waiting == 1 {
		ctx, cancel := context.WithCancel(p.life)
		p.look = cancel
		p.work.Go(func() { p.keepLooking(ctx) })
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.waiting--; p.waiting == 0 {
			p.look()
		}
	})
}

// lookEvery is the interval of listings while a caller waits for a device.
const lookEvery = time.Second

func (p *Pool) keepLooking(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = p.listed(ctx, lookEvery/2, nil) // a failed listing may succeed in a second
		}
	}
}

// bootsAtOnce is the maximum number of parallel boots.
const bootsAtOnce = 8

// prepare checks that granted devices work, and boots them if required, in parallel.
func (p *Pool) prepare(ctx context.Context, a Ask, grants []Grant) error {
	errs := make([]error, len(grants))
	slots := make(chan struct{}, bootsAtOnce)
	var all sync.WaitGroup
	for i := range grants {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = p.prepareOne(ctx, a, &grants[i])
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pool) prepareOne(ctx context.Context, a Ask, g *Grant) error {
	h, err := p.handle(ctx, g.Lease.Resource)
	if err != nil {
		return err
	}
	if g.Info.State == device.Booted {
		return p.probe(ctx, h)
	}
	if !a.On || !a.Boot { // the claim takes the device in any state; it may be off when a claim is repeated
		return nil
	}
	if a.Tell != nil {
		a.Tell("booting " + g.Info.Name)
	}
	if err := p.boot(ctx, h, a.BootWait); err != nil {
		return err
	}
	g.Info.State, g.Booted = device.Booted, true
	return nil
}

// giveBack releases the devices of a failed claim. Devices that the holder had before, or got by a repeat of the claim, stay claimed.
func (p *Pool) giveBack(grants []Grant) {
	for _, g := range grants {
		if err := p.leases.Undo(context.WithoutCancel(p.life), g.Lease, "it was not handed over"); err != nil {
			p.log.Warn("giving a device back", "udid", g.Lease.Resource, "error", err)
		}
	}
}
