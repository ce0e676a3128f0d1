package pool

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
)

// Entry is a device as the pool knows it.
type Entry struct {
	device.Info
	ClaimStatus string     `json:"claim_status"` // available or claimed
	ClaimedBy   string     `json:"claimed_by,omitempty"`
	ClaimedAt   *time.Time `json:"claimed_at,omitempty"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	LeaseKind   string     `json:"lease_kind,omitempty"` // claim, implicit or repair
	Epoch       uint64     `json:"epoch,omitempty"`
	LastUsed    *time.Time `json:"last_used,omitempty"`
	Quarantine  string     `json:"quarantine,omitempty"` // why it is not handed out
}

// The two values of Entry.ClaimStatus.
const (
	Available   = "available"
	ClaimedWord = "claimed"
)

func entry(i device.Info, l lease.Lease, quarantine string) Entry {
	e := Entry{Info: i, ClaimStatus: Available, Epoch: l.Epoch, Quarantine: quarantine, LastUsed: moment(l.Used)}
	if quarantine != "" {
		e.Available = false
	}
	if l.Held() {
		e.ClaimStatus, e.ClaimedBy, e.ClaimedAt, e.ExpiresAt, e.LeaseKind = ClaimedWord, l.Holder, moment(l.Since), moment(l.Expires), string(l.Kind)
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

// Entry is a granted device as the pool knows it.
func (g Grant) Entry() Entry { return entry(g.Info, g.Lease, "") }

// Entries lists every device with its lease.
func (p *Pool) Entries(ctx context.Context) ([]Entry, error) {
	l, err := p.listed(ctx, fresh)
	if err != nil {
		return nil, err
	}
	leases, aside := map[string]lease.Lease{}, p.Quarantines()
	if p.Leases != nil {
		leases = p.Leases.All()
	}
	out := make([]Entry, len(l.infos))
	for i, info := range l.infos {
		out[i] = entry(info, leases[info.UDID], aside[info.UDID].Reason)
	}
	return out, nil
}

// Entry tells of one device.
func (p *Pool) Entry(ctx context.Context, udid string) (Entry, error) {
	l, err := p.listed(ctx, fresh)
	if err != nil {
		return Entry{}, err
	}
	info, err := one(l.infos, "udid", udid, func(i device.Info) bool { return strings.EqualFold(i.UDID, udid) })
	if err != nil {
		return Entry{}, err
	}
	return entry(info, p.Leases.Get(info.UDID), p.Quarantines()[info.UDID].Reason), nil
}

// Renew makes a holder's claim last for its whole time again.
func (p *Pool) Renew(ctx context.Context, holder, udid string) (Entry, error) {
	if _, err := p.Leases.Renew(ctx, holder, udid); err != nil {
		return Entry{}, leaseFault(err)
	}
	return p.Entry(ctx, udid)
}

// TakeOver makes a holder the holder of a device, whoever has it now; the reason is kept.
func (p *Pool) TakeOver(ctx context.Context, holder, udid, reason string) (Entry, lease.Lease, error) {
	e, err := p.Entry(ctx, udid)
	if err != nil {
		return e, lease.Lease{}, err
	}
	_, before, err := p.Leases.TakeOver(ctx, lease.Request{Holder: holder, Kind: lease.Claim, TTL: ClaimTime}, e.UDID, reason)
	if err != nil {
		return e, before, leaseFault(err)
	}
	e, err = p.Entry(ctx, e.UDID)
	return e, before, err
}

// Cleanup releases what has run out.
func (p *Pool) Cleanup() []string {
	udids := []string{}
	for _, l := range p.Leases.Expire() {
		udids = append(udids, l.Resource)
	}
	return udids
}
