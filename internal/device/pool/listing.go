package pool

import (
	"context"
	"time"

	"ios-agent/internal/device"
)

// fresh is how old a listing may be that devices are chosen from. Asking the tools takes half a second on a Mac.
const fresh = 2 * time.Second

// listing is what the drivers said at some time.
type listing struct {
	began time.Time
	infos []device.Info
	whose map[string]device.Driver
}

// find gives a device of the listing.
func (l *listing) find(udid string) (device.Info, bool) {
	for _, i := range l.infos {
		if i.UDID == udid {
			return i, true
		}
	}
	return device.Info{}, false
}

// listed gives a listing that was begun no longer ago than most; callers that come together share one.
func (p *Pool) listed(ctx context.Context, most time.Duration) (*listing, error) {
	if l := p.young(most); l != nil {
		return l, nil
	}
	asked := p.now()
	select {
	case p.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.asking }()
	if l := p.latest(); l != nil && !l.began.Before(asked.Add(-most)) {
		return l, nil // somebody else asked while we waited
	}
	return p.ask(ctx)
}

// Refresh asks the drivers now, and gives up on no device.
func (p *Pool) Refresh(ctx context.Context) (int, error) {
	p.repairAll()
	l, err := p.listed(ctx, 0)
	if err != nil {
		return 0, err
	}
	return len(l.infos), nil
}

// ask asks the drivers and keeps what they say. Whoever waits for a device hears of it.
func (p *Pool) ask(ctx context.Context) (*listing, error) {
	began := p.now()
	infos, whose, err := p.survey(ctx)
	if err != nil {
		return nil, err
	}
	l := &listing{began, infos, whose}
	p.mu.Lock()
	if p.seen == nil || began.After(p.seen.began) {
		p.seen = l
	}
	p.mu.Unlock()
	if p.Leases != nil {
		p.Leases.Poke()
	}
	return l, nil
}

func (p *Pool) latest() *listing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func (p *Pool) young(most time.Duration) *listing {
	if l := p.latest(); l != nil && most > 0 && p.now().Sub(l.began) < most {
		return l
	}
	return nil
}

// stale makes the next choice ask again: we changed something ourselves.
func (p *Pool) stale() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
}
