package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Drive runs fn in the device's lane under a lease. The first command on a free device takes a short lease, and every command renews
// it. When the command's turn comes, its lease must still be the lease that it queued under.
func (p *Pool) Drive(ctx context.Context, h *Handle, fn func() error) error {
	if h.guest {
		defer p.forget(h) // if the device has ended
	}
	if !h.drives {
		return h.Lane.Do(ctx, fn)
	}
	use, err := p.leases.Use(ctx, h.Info().UDID, h.holder, p.implicit)
	if err != nil {
		return p.claimed(h, err)
	}
	defer use.Done()
	return h.Lane.Do(ctx, func() error {
		if err := use.Check(); err != nil {
			return p.claimed(h, err)
		}
		p.arrive(ctx, h, use)
		return fn()
	})
}

// arrive gives the command its lease, and calls Handover once per lease.
func (p *Pool) arrive(ctx context.Context, h *Handle, use *lease.Use) {
	if h.leased != nil {
		h.leased(use.Epoch())
	}
	udid := h.Info().UDID
	p.mu.Lock()
	known := use.Epoch() == p.handed[udid]
	p.handed[udid] = use.Epoch()
	p.mu.Unlock()
	if !known && p.handover != nil {
		p.handover(ctx, udid, use.MayDrive)
	}
}

// MayDrive fails for a session that Drive would refuse. It takes no lease.
func (p *Pool) MayDrive(ctx context.Context, h *Handle, session string) error {
	l, err := p.leases.Get(ctx, h.Info().UDID)
	if err != nil || !l.Held() || l.DrivenBy(session) {
		return leaseFault(err)
	}
	return p.taken(h.Info().Name, l).WithDispatch(fault.NotDispatched)
}

// Beside runs fn under the lease but outside the lane. It is for work that must not wait for the running command, such as ending an
// agent that hangs in it.
func (p *Pool) Beside(ctx context.Context, h *Handle, fn func() error) error {
	use, err := p.leases.Use(ctx, h.Info().UDID, h.holder, p.implicit)
	if err != nil {
		return p.claimed(h, err)
	}
	defer use.Done()
	p.arrive(ctx, h, use)
	return fn()
}

// Forgo releases a lease that a first command took: a device that was switched off is not in use.
func (p *Pool) Forgo(ctx context.Context, h *Handle) {
	l, err := p.leases.Get(ctx, h.Info().UDID)
	if err == nil && l.Kind == lease.Implicit && l.Holder == h.holder {
		_, _ = p.leases.Release(ctx, lease.Who{Holder: h.holder}, l.Resource) // otherwise the lease expires
	}
}

// claimed is the fault for a command that may not run. The command is not dispatched.
func (p *Pool) claimed(h *Handle, err error) error {
	var busy *lease.BusyError
	if errors.As(err, &busy) && len(busy.Held) > 0 {
		return p.taken(h.Info().Name, busy.Held[0]).WithDispatch(fault.NotDispatched)
	}
	return fault.From(leaseFault(err)).WithDispatch(fault.NotDispatched)
}

// taken says which session holds a device, since when and until when, and what the caller can do.
func (p *Pool) taken(name string, l lease.Lease) *fault.Fault {
	if l.Dirty {
		return fault.New(fault.DeviceClaimed, "%s (%s) is being reset after its last claim", name, l.Resource).WithHint("try again in a moment")
	}
	now, who := p.now(), l.Holder
	old := now.Sub(l.Since)
	client := p.client(l.Holder)
	if client != "" {
		who += " (" + client + ")"
	}
	others := l.CoDrivers.List()
	if len(others) > 0 {
		who += " (" + strings.Join(others, ", ") + " may drive it too)"
	}
	f := fault.New(fault.DeviceClaimed, "%s (%s) is already claimed by %s: held for %s so far, free in at most %s if it is not used",
		name, l.Resource, who, age(old), age(l.Expires.Sub(now))).
		With("udid", l.Resource).With("holder", l.Holder).With("kind", string(l.Kind)).With("epoch", l.Epoch).
		With("since", l.Since.UTC()).With("age_seconds", int(old.Seconds())).With("expires", l.Expires.UTC())
	if client != "" {
		f = f.With("client", client)
	}
	if len(others) > 0 {
		f = f.With("co_drivers", others)
	}
	return f.WithHint("use another device, or wait for this one: %s, or take it over: %s",
		hint.Do("resolve_device", "udid", l.Resource, "wait_if_busy", true), hint.Do("take_over_device", "udid", l.Resource, "reason", "WHY"))
}

func age(d time.Duration) string { return max(d, 0).Round(time.Second).String() }

// leaseFault gives a fault code to an error of the lease table.
func leaseFault(err error) error {
	var busy *lease.BusyError
	var not *lease.NotHolderError
	var lost *lease.LostError
	var broken *lease.JournalError
	var unknown *lease.StateError
	var repeat *lease.RepeatError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return state(unknown.Err).Within("cannot read the device claims")
	case errors.As(err, &repeat) && repeat.Ended:
		return fault.New(fault.LeaseLost, "%w", err).WithHint("claim again with a new id")
	case errors.As(err, &repeat):
		return fault.New(fault.InvalidInput, "%w", err).WithHint("use a new id for every claim, and repeat a claim with the same inputs")
	case errors.As(err, &not):
		return fault.New(fault.NotHolder, "%w", err).With("udid", not.Lease.Resource).With("holder", not.Lease.Holder)
	case errors.As(err, &lost):
		return fault.New(fault.LeaseLost, "%w", err).With("udid", lost.Resource)
	case errors.As(err, &broken):
		return state(broken.Err).Within("cannot save the lease")
	case errors.As(err, &busy) && len(busy.Elsewhere) > 0:
		return elsewhere(busy.Elsewhere[0])
	case errors.As(err, &busy):
		return fault.New(fault.DeviceClaimed, "%w", err)
	}
	return err
}

// state is the fault of the journal. The journal's own fault names the file and the remedy.
func state(err error) *fault.Fault {
	if f, ok := fault.In(err); ok {
		return f
	}
	return fault.New(fault.StateFailed, "%w", err)
}

func elsewhere(e *lease.ElsewhereError) *fault.Fault {
	f := fault.New(fault.DeviceClaimed, "the device %s is claimed in another ios-agent home, %s (pid %d)", e.Resource, e.Home, e.PID).
		With("udid", e.Resource).With("home", e.Home).With("pid", e.PID)
	if !e.Until.IsZero() {
		f = f.With("expires", e.Until.UTC())
	}
	return f.WithHint("release it there (%s), or use another device",
		hint.Command(fmt.Sprintf("IOS_AGENT_HOME=%s ios-agent pool list", e.Home)))
}
