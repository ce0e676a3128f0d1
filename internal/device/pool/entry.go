package pool

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
)

// Entry is a device as the pool knows it.
type Entry struct {
	device.Info
	ClaimStatus string     `json:"claim_status"` // available, claimed or unknown
	ClaimedBy   string     `json:"claimed_by,omitempty"`
	ClaimedAt   *time.Time `json:"claimed_at,omitempty"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	LeaseKind   string     `json:"lease_kind,omitempty"` // claim, implicit or repair
	Epoch       uint64     `json:"epoch,omitempty"`
	LastUsed    *time.Time `json:"last_used,omitempty"`
	Quarantine  string     `json:"quarantine,omitempty"` // why it is not handed out
}

// The values of Entry.ClaimStatus.
const (
	Available   = "available"
	ClaimedWord = "claimed"
	Unknown     = "unknown" // the leases cannot be read
)

func entry(i device.Info, l lease.Lease, quarantine string) Entry {
	e := Entry{Info: i, ClaimStatus: Available, Epoch: l.Epoch, Quarantine: quarantine, LastUsed: moment(l.Used)}
	if quarantine != "" {
		e.Available = false
	}
	if l.Held() {
		e.ClaimStatus, e.ClaimedBy, e.LeaseKind = ClaimedWord, l.Holder, string(l.Kind)
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

// Entry is a granted device as the pool knows it.
func (g Grant) Entry() Entry { return entry(g.Info, g.Lease, "") }

// Entries lists every device with its lease.
func (p *Pool) Entries(ctx context.Context) ([]Entry, error) {
	l, err := p.listed(ctx, fresh, nil)
	if err != nil {
		return nil, err
	}
	return p.entries(ctx, l.infos...)
}

// entries are devices as the pool knows them. Where leases cannot be read, nobody knows who has which.
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
		if unknown != nil {
			out[i].ClaimStatus = Unknown
		}
	}
	return out, nil
}

// Entry tells of one device, by one of its ids.
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

// Renew makes a holder's claim last for its whole time again.
func (p *Pool) Renew(ctx context.Context, holder, id string) (Entry, error) {
	udid := p.canonical(id)
	if _, err := p.leases.Renew(ctx, holder, udid); err != nil {
		return Entry{}, leaseFault(err)
	}
	return p.Entry(ctx, udid)
}

// TakeOver makes a holder the holder of a device, whoever has it now; the reason is kept.
func (p *Pool) TakeOver(ctx context.Context, holder, id, reason string) (Entry, lease.Lease, error) {
	e, err := p.Entry(ctx, id)
	if err != nil {
		return e, lease.Lease{}, err
	}
	_, before, err := p.leases.TakeOver(ctx, lease.Request{Holder: holder, Kind: lease.Claim, TTL: ClaimTime}, e.UDID, reason)
	if err != nil {
		return e, before, leaseFault(err)
	}
	e, err = p.Entry(ctx, e.UDID)
	return e, before, err
}

// Cleanup releases what has run out.
func (p *Pool) Cleanup(ctx context.Context) ([]string, error) {
	udids := []string{}
	ended, err := p.leases.Expire(ctx)
	for _, l := range ended {
		udids = append(udids, l.Resource)
	}
	return udids, leaseFault(err)
}
