package pool

import (
	"context"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/fault"
)

// The resets of a device at its release or at the end of its lease.
const (
	ResetNone      = lease.NoReset
	ResetTerminate = "terminate" // end all apps except system apps
	ResetErase     = "erase"     // erase the device; it is off afterwards
)

// Release gives a device back and resets it as its lease or this call asks.
func (p *Pool) Release(ctx context.Context, who lease.Who, udid, reset string) (lease.Lease, error) {
	udid = p.canonical(udid)
	if reset != "" {
		if err := p.leases.Amend(ctx, who, udid, reset); err != nil {
			return lease.Lease{}, leaseFault(err)
		}
	}
	l, err := p.leases.Release(ctx, who, udid)
	if err != nil {
		return l, leaseFault(err)
	}
	if l.Dirty { // the reset finishes even if the caller leaves
		whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), repairWait)
		defer cancel()
		err = p.clean(whole, l)
	}
	return l, err
}

// clean resets a released device for the next holder. A device that cannot be reset goes into quarantine.
func (p *Pool) clean(ctx context.Context, l lease.Lease) error {
	h, err := p.handle(ctx, l.Resource)
	if err != nil {
		return err
	}
	err = h.Lane.Do(ctx, func() error {
		now, err := p.leases.Get(ctx, l.Resource)
		if err != nil || !now.Dirty || now.Epoch != l.Epoch {
			return err // without an error, another caller reset it
		}
		return reset(ctx, h, l.Reset)
	})
	if err != nil { // the device stays dirty: the repair tries again
		p.putAside(h, fmt.Sprintf("%s (%s) could not be reset (%s): %v", h.Info().Name, l.Resource, l.Reset, err))
		return fault.New(fault.DeviceBroken, "%s is released, but could not be reset: %w", h.Info().Name, err)
	}
	if l.Reset == ResetErase {
		p.stale()
	}
	return p.leases.Clean(ctx, l.Resource, l.Epoch)
}

func reset(ctx context.Context, h *Handle, how string) error {
	if how == ResetErase {
		eraser, err := device.As[device.Eraser](h.Device)
		if err != nil {
			return err
		}
		return eraser.Erase(ctx)
	}
	inventory, err := device.As[device.Inventory](h.Device)
	if err != nil {
		return err
	}
	apps, err := device.As[device.Apps](h.Device)
	if err != nil {
		return err
	}
	all, err := inventory.List(ctx)
	if fault.Is(err, fault.DeviceNotBooted) {
		return nil // no app runs on it
	}
	for _, a := range all {
		if err == nil && a.PID > 0 && a.Type == "User" {
			err = apps.Terminate(ctx, a.Bundle)
		}
	}
	return err
}

// Tend resets the devices of expired leases until the pool is closed.
func (p *Pool) Tend() {
	p.work.Go(func() {
		for p.life.Err() == nil {
			events := p.leases.Watch(p.life)
			p.sweep()
			for e := range events {
				if e.Lease.Dirty && e.What == lease.Expired {
					p.sweep()
				}
			}
		}
	})
}

func (p *Pool) sweep() {
	all, err := p.leases.All(p.life)
	if err != nil {
		p.log.Warn("cleaning devices", "error", err)
	}
	for _, l := range all {
		if !l.Dirty {
			continue
		}
		if err := p.clean(p.life, l); err != nil {
			p.log.Warn("cleaning a device", "udid", l.Resource, "error", err)
		}
	}
}
