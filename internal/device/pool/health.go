package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
)

const (
	// BootWait is how long a boot may take unless the caller says otherwise.
	BootWait = 30 * time.Second
	// probeWait is how long a device may take to run the smallest program.
	probeWait = 10 * time.Second
	// provenFor is how long a device counts as working after it was seen to work.
	provenFor = 5 * time.Second
	// repairWait is how long the boot of a repair may take.
	repairWait = 5 * time.Minute
	// repairHolder holds the lease of a device that is being repaired.
	repairHolder = "ios-agent repair"
)

// repairGaps are the pauses before each attempt at a broken device. After the last one it stays aside until somebody
// refreshes the pool.
func repairGaps() []time.Duration { return []time.Duration{0, 10 * time.Second, time.Minute} }

// Quarantine is why a device is not handed out.
type Quarantine struct {
	Reason string
	Since  time.Time

	device    *Handle
	repairing bool
}

// probe makes sure that a booted device can run a program. One that was booted a moment ago and is not any more is not
// broken: the listing was old.
func (p *Pool) probe(ctx context.Context, h *Handle) error {
	udid := h.Info().UDID
	prober, able := device.Has[device.Prober](h.Device)
	if !able || p.proven(udid) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	err := prober.Probe(limited)
	switch {
	case err == nil:
		p.prove(udid)
		return nil
	case ctx.Err() != nil:
		return err
	case fault.Is(err, fault.DeviceNotBooted):
		p.stale()
		return err
	}
	reason := fmt.Sprintf("%s (%s) says it is booted and cannot run a program: %v", h.Info().Name, udid, err)
	p.putAside(h, reason)
	return fault.New(fault.DeviceBroken, "%s", reason).With("udid", udid)
}

func (p *Pool) proven(udid string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.worked[udid]
	return ok && p.now().Sub(at) < provenFor
}

func (p *Pool) prove(udid string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worked[udid] = p.now()
}

// boot boots a device within a time. One that does not is put aside.
func (p *Pool) boot(ctx context.Context, h *Handle, most time.Duration) error {
	if most <= 0 {
		most = BootWait
	}
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err = h.Lane.Do(limited, func() error { return power.Boot(limited) })
	p.stale() // whatever came of it
	udid := h.Info().UDID
	switch {
	case err == nil:
		return p.probe(ctx, h)
	case ctx.Err() != nil:
		return err
	case limited.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		reason := fmt.Sprintf("%s (%s) did not boot within %s", h.Info().Name, udid, most)
		p.putAside(h, reason)
		return fault.New(fault.BootFailed, "%s", reason).With("udid", udid)
	}
	p.putAside(h, fmt.Sprintf("%s (%s) did not boot: %v", h.Info().Name, udid, err))
	return fault.New(fault.BootFailed, "%s (%s) did not boot: %w", h.Info().Name, udid, err).With("udid", udid)
}

// putAside keeps a broken device from being handed out and begins to repair it.
func (p *Pool) putAside(h *Handle, reason string) {
	udid := h.Info().UDID
	p.mu.Lock()
	p.aside[udid] = &Quarantine{reason, p.now(), h, p.aside[udid] != nil && p.aside[udid].repairing}
	delete(p.worked, udid)
	p.mu.Unlock()
	p.log.Warn("device put aside", "udid", udid, "reason", reason)
	p.repairAll()
}

// repairAll begins to repair what is aside and not being repaired.
func (p *Pool) repairAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return
	}
	for _, q := range p.aside {
		if !q.repairing {
			q.repairing = true
			p.work.Go(func() { p.repair(q.device) })
		}
	}
}

// repair turns a device off and on again until it works, a few times.
func (p *Pool) repair(h *Handle) {
	udid := h.Info().UDID
	for _, gap := range repairGaps() {
		if !p.pause(gap) {
			return
		}
		err := p.repairOnce(h)
		if err == nil {
			p.readmit(udid)
			return
		}
		p.log.Warn("repair", "udid", udid, "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.aside[udid]; q != nil {
		q.repairing = false
	}
}

func (p *Pool) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.life.Done():
		return false
	}
}

// repairOnce restarts a device under a lease of its own: nobody's device is switched off.
func (p *Pool) repairOnce(h *Handle) error {
	udid := h.Info().UDID
	now, err := p.leases.Get(p.life, udid)
	if err != nil {
		return err
	}
	if !now.Dirty { // what is dirty is nobody's already
		_, err := p.leases.Acquire(p.life, lease.Request{
			Holder: repairHolder, Kind: lease.Repair, TTL: 2 * repairWait, Wait: true,
			Among: func(func(string) lease.Lease) []string { return []string{udid} },
		})
		if err != nil {
			return err
		}
		defer func() { _, _ = p.leases.Release(context.WithoutCancel(p.life), lease.Who{Holder: repairHolder}, udid) }()
	}
	ctx, cancel := context.WithTimeout(p.life, repairWait)
	defer cancel()
	defer p.stale()
	if err := h.Lane.Do(ctx, func() error { return restart(ctx, h, now) }); err != nil || !now.Dirty {
		return err
	}
	return p.leases.Clean(ctx, udid, now.Epoch)
}

// restart turns a device off and on, makes sure that it works, and does what its last lease asked for.
func restart(ctx context.Context, h *Handle, l lease.Lease) error {
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return err
	}
	if err := power.Shutdown(ctx); err != nil {
		return err
	}
	if err := power.Boot(ctx); err != nil {
		return err
	}
	if prober, able := device.Has[device.Prober](h.Device); able {
		if err := prober.Probe(ctx); err != nil {
			return err
		}
	}
	if !l.Dirty {
		return nil
	}
	return reset(ctx, h, l.Reset)
}

// readmit ends a quarantine.
func (p *Pool) readmit(udid string) {
	p.mu.Lock()
	delete(p.aside, udid)
	p.mu.Unlock()
	p.log.Info("device repaired", "udid", udid)
	p.leases.Poke()
}

// Quarantines lists the devices put aside.
func (p *Pool) Quarantines() map[string]Quarantine {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]Quarantine, len(p.aside))
	for udid, q := range p.aside {
		out[udid] = *q
	}
	return out
}
