package pool

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Opener opens devices that no driver lists, such as the processes of a desktop. Their ids have a form of their own.
type Opener interface {
	// Opens reports whether an id has the opener's form.
	Opens(id string) bool
	// Find is the udid of the one device that an id means. env is the caller's environment; it may be nil.
	Find(ctx context.Context, id string, env func(string) string) (udid string, err error)
	Open(ctx context.Context, udid string) (device.Device, error)
}

// mostGuests is the maximum number of open devices of openers.
const mostGuests = 64

// opener is the opener for an id; nil if drivers list the device.
func (p *Pool) opener(id string) Opener {
	for _, o := range p.openers {
		if o.Opens(id) {
			return o
		}
	}
	return nil
}

// Opens reports whether an id belongs to an opener.
func (p *Pool) Opens(id string) bool { return p.opener(id) != nil }

// Ended reports whether a device has ended for good.
func (p *Pool) Ended(h *Handle) bool {
	d, mortal := device.Has[device.Mortal](h.Device)
	return mortal && d.Gone()
}

// guest is the device of an opener's id. It opens the device if needed.
func (p *Pool) guest(ctx context.Context, id string, env func(string) string) (*Handle, error) {
	if h := p.living(id); h != nil {
		return h, nil
	}
	o := p.opener(id)
	udid, err := o.Find(ctx, id, env)
	if err != nil {
		return nil, err
	}
	if h := p.living(udid); h != nil {
		return h, nil
	}
	p.bury()
	if n := len(p.guests()); n >= mostGuests {
		return nil, fault.New(fault.TooMany, "%d desktop apps are open, which is the limit", n).
			WithHint("quit some of them; %s lists them", hint.Do("list_device_pool"))
	}
	opened, err := o.Open(ctx, udid)
	if err != nil {
		return nil, err
	}
	h, mine := p.admit(opened)
	if !mine {
		err = opened.Close() // another caller opened it first
	}
	return h, err
}

// living is an open device by one of its ids, unless it has ended.
func (p *Pool) living(id string) *Handle {
	h := p.opened(id)
	if h == nil || p.forget(h) {
		return nil
	}
	return h
}

// admit stores an opened device, or gives the device that is already open.
func (p *Pool) admit(opened device.Device) (h *Handle, mine bool) {
	udid := opened.Info().UDID
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.open[udid]; h != nil {
		return h, false
	}
	parts := device.Compose(opened)
	h = &Handle{Device: parts, Lane: device.NewLane(), parts: parts, from: map[*source]bool{}, guest: true}
	p.open[udid] = h
	return h, true
}

// guests are the open devices of openers.
func (p *Pool) guests() (all []device.Info) {
	for _, h := range p.Open() {
		if h.guest {
			all = append(all, h.Info())
		}
	}
	return all
}

// bury forgets all devices that have ended.
func (p *Pool) bury() {
	for _, h := range p.Open() {
		p.forget(h)
	}
}

// forget closes a device that has ended for good and releases its lease. It reports whether the device has ended.
func (p *Pool) forget(h *Handle) bool {
	if !p.Ended(h) {
		return false
	}
	udid := h.Info().UDID
	p.mu.Lock()
	_, known := p.open[udid]
	delete(p.open, udid)
	delete(p.handed, udid)
	delete(p.worked, udid)
	p.mu.Unlock()
	if !known {
		return true
	}
	if err := h.Close(); err != nil {
		p.log.Warn("closing a device that has ended", "udid", udid, "error", err)
	}
	if l, err := p.leases.Get(p.life, udid); err == nil && l.Held() {
		_, _ = p.leases.Release(p.life, lease.Who{Holder: l.Holder}, udid) // otherwise the lease expires
	}
	return true
}

// acquireGuest is Acquire for one device of an opener.
func (p *Pool) acquireGuest(ctx context.Context, a Ask) (Grant, error) {
	if a.Reset != "" && a.Reset != ResetNone {
		return Grant{}, fault.New(fault.Unsupported, "cannot reset the desktop app %s when its claim ends", a.UDID).
			WithHint("claim it without %s", hint.Field("reset"))
	}
	h, err := p.guest(ctx, a.UDID, a.Env)
	if err != nil {
		return Grant{}, err
	}
	info := h.Info()
	if a.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.Wait)
		defer cancel()
	}
	leases, err := p.leases.Acquire(ctx, lease.Request{
		Holder: a.Holder, By: a.By, Kind: a.kind(), TTL: ClaimTime, Count: 1, Wait: a.Wait > 0, Claim: lease.ClaimID{ID: a.Claim, Wish: a.wish()},
		Among: func(func(string) lease.Lease) []string { return []string{info.UDID} },
	})
	var busy *lease.BusyError
	switch {
	case err == nil:
		return Grant{Info: info, Lease: leases[0]}, nil
	case errors.As(err, &busy) && len(busy.Held) > 0 && a.Wait > 0:
		return Grant{}, fault.New(fault.WaitTimeout, "%s (%s) was not free within %s: %s has it", info.Name, info.UDID, a.Wait,
			busy.Held[0].Holder)
	case errors.As(err, &busy) && len(busy.Held) > 0:
		return Grant{}, p.taken(info.Name, busy.Held[0])
	}
	return Grant{}, leaseFault(err)
}

// withGuests are the devices of a listing and the living devices of openers.
func (p *Pool) withGuests(listed []device.Info) []device.Info {
	p.bury()
	guests := p.guests()
	slices.SortFunc(guests, func(a, b device.Info) int { return strings.Compare(a.UDID, b.UDID) })
	return slices.Concat(listed, guests)
}
