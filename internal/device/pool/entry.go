package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Entry is the pool's view of a device.
type Entry struct {
	device.Info
	ClaimStatus string     `json:"claim_status"` // available, claimed, unavailable or unknown
	ClaimedBy   string     `json:"claimed_by,omitempty"`
	Client      string     `json:"claimed_client,omitempty"` // the client program of the session
	CoDrivers   []string   `json:"co_drivers,omitempty"`     // sessions that may drive the device too
	ClaimedAt   *time.Time `json:"claimed_at,omitempty"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	LeaseKind   string     `json:"lease_kind,omitempty"` // claim, implicit or repair
	Epoch       uint64     `json:"epoch,omitempty"`
	LastUsed    *time.Time `json:"last_used,omitempty"`
	Quarantine  string     `json:"quarantine,omitempty"` // why the pool does not hand the device out
}

// The values of Entry.ClaimStatus.
const (
	Available   = "available"
	ClaimedWord = "claimed"
	Unavailable = "unavailable" // unclaimed but not usable
	Unknown     = "unknown"     // the leases cannot be read
)

func entry(i device.Info, l lease.Lease, quarantine string) Entry {
	e := Entry{Info: i, ClaimStatus: Available, Epoch: l.Epoch, Quarantine: quarantine, LastUsed: moment(l.Used)}
	if quarantine != "" {
		e.Available = false
	}
	if !e.Available {
		e.ClaimStatus = Unavailable
	}
	if l.Held() {
		e.ClaimStatus, e.ClaimedBy, e.LeaseKind = ClaimedWord, l.Holder, string(l.Kind)
		e.CoDrivers = l.CoDrivers.List()
		e.ClaimedAt, e.ExpiresAt = moment(l.Since), moment(l.Expires)
	}
	if l.Dirty {
		e.ClaimStatus, e.ClaimedBy = ClaimedWord, "being reset: "+l.Reset
	}
	return e
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Entry is the pool's view of a granted device.
func (g Grant) Entry() Entry { return entry(g.Info, g.Lease, "") }

// Entries lists every device with its current lease, including devices that openers have opened.
func (p *Pool) Entries(ctx context.Context) ([]Entry, error) {
	l, err := p.listed(ctx, 0, nil)
	if err != nil {
		l = &listing{}
	}
	all := p.withGuests(l.infos)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	return p.entries(ctx, all...)
}

// entries are the pool's view of devices. If the leases cannot be read, the claim status is unknown.
func (p *Pool) entries(ctx context.Context, infos ...device.Info) ([]Entry, error) {
	leases, err := p.leases.All(ctx)
	var unknown *lease.StateError
	if err != nil && !errors.As(err, &unknown) {
		return nil, err
	}
	aside := p.Quarantines()
	out := make([]Entry, len(infos))
	for i, info := range infos {
		out[i] = entry(info, leases[info.UDID], aside[info.UDID].Reason)
		if out[i].ClaimedBy != "" {
			out[i].Client = p.client(out[i].ClaimedBy)
		}
		if unknown != nil {
			out[i].ClaimStatus = Unknown
		}
	}
	return out, nil
}

// Entry is the pool's view of one device, by one of its ids.
func (p *Pool) Entry(ctx context.Context, id string) (Entry, error) {
	info, err := p.lookUp(ctx, id, fresh)
	if err != nil {
		return Entry{}, err
	}
	all, err := p.entries(ctx, info)
	if err != nil {
		return Entry{}, err
	}
	return all[0], nil
}

// LastClaim is the device that a holder claimed last; empty if it has claimed none. latest are the devices of its last claim, if they
// are remembered; otherwise the times of the claims decide. LastClaim never guesses between two devices: the fault names them.
func (p *Pool) LastClaim(ctx context.Context, holder string, latest []string) (udid string, err error) {
	leases, err := p.leases.All(ctx)
	if err != nil {
		return "", leaseFault(err)
	}
	var own, last []lease.Lease
	for _, l := range leases {
		if l.Holder != holder || l.Kind != lease.Claim {
			continue
		}
		own = append(own, l)
		if slices.Contains(latest, l.Resource) {
			last = append(last, l)
		}
	}
	if len(last) == 0 {
		last = newest(own)
	}
	switch len(last) {
	case 0:
		return "", nil
	case 1:
		return last[0].Resource, nil
	}
	seen, err := p.listed(ctx, fresh, nil)
	if err != nil {
		return "", err
	}
	infos := filter(p.withGuests(seen.infos), func(i device.Info) bool {
		return slices.ContainsFunc(last, func(l lease.Lease) bool { return l.Resource == i.UDID })
	})
	return "", fault.New(fault.DeviceAmbiguous, "%s claimed %d devices at once, and none was named: %s", holder, len(last), briefly(infos)).
		WithHint("pass the %s of one: %s", hint.Field("udid"), choices(infos)).With("candidates", infos)
}

// newest are the leases with the latest grant, all of the same moment.
func newest(leases []lease.Lease) (out []lease.Lease) {
	for _, l := range leases {
		switch {
		case len(out) == 0 || l.Since.After(out[0].Since):
			out = []lease.Lease{l}
		case l.Since.Equal(out[0].Since):
			out = append(out, l)
		}
	}
	return out
}

// Renew gives a holder's claim its full lifetime again.
func (p *Pool) Renew(ctx context.Context, who lease.Who, id string) (Entry, error) {
	udid := p.canonical(id)
	if _, err := p.leases.Renew(ctx, who, udid); err != nil {
		return Entry{}, leaseFault(err)
	}
	return p.Entry(ctx, udid)
}

// TakeOver gives a device to the asking holder even if another session holds it. The reason is stored.
func (p *Pool) TakeOver(ctx context.Context, a Ask, reason string) (Entry, lease.Lease, error) {
	e, err := p.Entry(ctx, a.UDID)
	if err != nil {
		return e, lease.Lease{}, err
	}
	_, before, err := p.leases.TakeOver(ctx, lease.Request{Holder: a.Holder, By: a.By, Kind: lease.Claim, TTL: ClaimTime}, e.UDID, reason)
	if err != nil {
		return e, before, leaseFault(err)
	}
	e, err = p.Entry(ctx, e.UDID)
	return e, before, err
}

// Cleanup releases expired claims.
func (p *Pool) Cleanup(ctx context.Context) ([]string, error) {
	udids := []string{}
	ended, err := p.leases.Expire(ctx)
	for _, l := range ended {
		udids = append(udids, l.Resource)
	}
	return udids, leaseFault(err)
}
