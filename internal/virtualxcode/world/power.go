package world

import (
	"context"
	"time"
)

// Boot starts a device that is shut down and returns when it is usable. A boot goes on even if ctx ends first.
func (w *World) Boot(ctx context.Context, udid string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := w.power(udid, "boot device", true, func(s State) bool { return s == Shutdown })
	if err != nil {
		return err
	}
	return w.clock.Sleep(ctx, bootTime)
}

// Shutdown stops a device with everything that runs on it.
func (w *World) Shutdown(ctx context.Context, udid string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := w.power(udid, "shutdown device", false, func(s State) bool { return s == Booted || s == Booting })
	if err != nil {
		return err
	}
	return w.clock.Sleep(ctx, shutdownTime)
}

// power switches a device on or off if its state allows it; verb is what the tools call doing so.
func (w *World) power(udid, verb string, on bool, allowed func(State) bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return err
	}
	now := w.clock.Now()
	if s := d.stateAt(now); !allowed(s) {
		return wrongState(verb, s)
	}
	d.switchTo(on, now)
	w.notify()
	return w.save(d)
}

func (d *device) switchTo(on bool, now time.Time) {
	d.On, d.Since = on, now
	d.Running, d.Front = nil, ""
	if on {
		d.LastBooted = now
	}
}

// WaitBooted returns when a device is usable. Like the real tool it waits for a device nobody has booted, until
// someone does or ctx ends.
func (w *World) WaitBooted(ctx context.Context, udid string) error {
	for {
		wait, err := w.untilBooted(udid)
		if err != nil || wait == nil {
			return err
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}

// untilBooted returns how to wait for the next step towards a usable device, or nil when it is usable.
func (w *World) untilBooted(udid string) (func(context.Context) error, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, err
	}
	now := w.clock.Now()
	switch d.stateAt(now) {
	case Booted:
		return nil, nil
	case Booting:
		rest := d.Since.Add(bootTime).Sub(now)
		return func(ctx context.Context) error { return w.clock.Sleep(ctx, rest) }, nil
	}
	changed := w.changed
	return func(ctx context.Context) error {
		select {
		case <-changed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, nil
}
