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
	// BootWait is the default maximum time of a boot.
	BootWait = 30 * time.Second
	// probeWait is the maximum time for a device to run the smallest program.
	probeWait = 10 * time.Second
	// provenFor is how long a successful probe counts.
	provenFor = 5 * time.Second
	// repairWait is the maximum time of a boot during a repair.
	repairWait = 5 * time.Minute
	// repairHolder holds the lease of a device under repair.
	repairHolder = "ios-agent repair"
)

// repairGaps are the pauses before each repair attempt. After the last attempt the device stays in quarantine until a caller refreshes
// the pool.
func repairGaps() []time.Duration { return []time.Duration{0, 10 * time.Second, time.Minute} }

// Quarantine is the reason why a device is not handed out.
type Quarantine struct {
	Reason string
	Since  time.Time

	device    *Handle
	repairing bool
}

// probe checks that a booted device can run a program. A device that was shut down since the listing is not broken.
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
	reason := fmt.Sprintf("%s (%s) is booted but cannot run a program: %v", h.Info().Name, udid, err)
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

// boot boots a device within a time limit. A device that fails goes into quarantine.
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
	p.stale() // after success and failure
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
	f := fault.New(fault.BootFailed, "%s (%s) did not boot: %w", h.Info().Name, udid, err).With("udid", udid)
	if why := fault.From(err); why.Code == fault.BootFailed {
		f = f.WithHint("%s", why.Hint)
	}
	return f
}

// putAside puts a broken device into quarantine and starts its repair.
func (p *Pool) putAside(h *Handle, reason string) {
	udid := h.Info().UDID
	p.mu.Lock()
	p.aside[udid] = &Quarantine{reason, p.now(), h, p.aside[udid] != nil && p.aside[udid].repairing}
	delete(p.worked, udid)
	p.mu.Unlock()
	p.log.Warn("device quarantined", "udid", udid, "reason", reason)
	p.repairAll()
}

// repairAll starts the repair of every quarantined device that is not under repair.
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

// repair restarts a device until it works, a few times.
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

// repairOnce restarts a device under a lease of its own, so that it never switches off a device in use.
func (p *Pool) repairOnce(h *Handle) error {
	udid := h.Info().UDID
	now, err := p.leases.Get(p.life, udid)
	if err != nil {
		return err
	}
	if !now.Dirty { // a dirty device is already out of use
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

// restart turns a device off and on, checks that it works, and does the reset of its last lease.
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

// Quarantines are the devices in quarantine.
func (p *Pool) Quarantines() map[string]Quarantine {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]Quarantine, len(p.aside))
	for udid, q := range p.aside {
		out[udid] = *q
	}
	return out
}
