package world

import (
	"context"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// endless is the duration of a boot that never ends.
const endless = time.Duration(-1)

// bootTime is the duration of d's present boot; see hangs.
func (d *device) bootTime() time.Duration {
	if d.BootFor > 0 {
		return d.BootFor
	}
	return bootTime
}

// hangs reports whether d boots for ever.
func (d *device) hangs() bool { return d.BootFor == endless }

// Boot starts a device that is shut down and returns when it is usable. The boot continues if ctx ends first.
func (w *World) Boot(ctx context.Context, udid string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := w.power(udid, "boot device", true, func(s State) bool { return s == Shutdown })
	if err != nil {
		return err
	}
	return w.bootEnds(ctx, udid)
}

// bootEnds waits for the end of a boot: the device is usable, shut down or deleted.
func (w *World) bootEnds(ctx context.Context, udid string) error {
	for {
		state, wait := w.untilBooted(udid)
		if state != Booting {
			return nil
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}

// Shutdown stops a device and its processes.
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

// power switches a device on or off if its state allows it; verb is the tools' word for the change.
func (w *World) power(udid, verb string, on bool, allowed func(State) bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil {
		return err
	}
	now := w.clock.Now()
	if s := d.stateAt(now); !allowed(s) {
		return wrongState(verb, s)
	}
	if on {
		if err := w.prepareBoot(d); err != nil {
			return err
		}
	}
	d.switchTo(on, now)
	w.notify()
	return w.save(d)
}

// prepareBoot applies the faults of d's next boot.
func (w *World) prepareBoot(d *device) error {
	if d.runtime.Unavailable != "" {
		return unavailable(d.runtime)
	}
	if d.flaws.Happens(flaw.BootFails) || d.flaws.Happens(flaw.NoGUISession) {
		return cannotBoot()
	}
	d.BootFor, d.Proxies = 0, w.network.proxies()
	if slow, yes := d.flaws(flaw.SlowBoot); yes {
		d.BootFor = slow.Seconds("seconds")
	}
	if d.flaws.Happens(flaw.BootHang) {
		d.BootFor = endless
	}
	return nil
}

func (d *device) switchTo(on bool, now time.Time) {
	d.On, d.Since = on, now
	for _, p := range d.Running {
		p.cancelCalls()
	}
	d.Running, d.Outputs, d.Front, d.Prompts, d.Orientation = nil, nil, "", nil, ""
	d.Settings.StatusBar = nil
	d.forgetUnderWay()
	if on {
		d.LastBooted = now
		d.log(d.system("com.apple.SpringBoard", "Common", "Device "+d.UDID+" boots "+d.runtime.Name()))
	} else {
		d.BootFor = 0
		d.log(d.system("com.apple.SpringBoard", "Common", "Device "+d.UDID+" shuts down"))
	}
}

// WaitBooted returns when a device is usable. Like the real tool it also waits for a device that is shut down, until a boot or until
// ctx ends.
func (w *World) WaitBooted(ctx context.Context, udid string) error {
	for {
		state, wait := w.untilBooted(udid)
		if wait == nil {
			return invalidDevice(udid)
		}
		if state == Booted {
			return nil
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}

// untilBooted returns the state of a device, and a function that waits for its next change, or nil for an unknown device.
func (w *World) untilBooted(udid string) (State, func(context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.simulator(udid)
	if err != nil {
		return "", nil
	}
	now := w.clock.Now()
	state := d.stateAt(now)
	if state == Booting && !d.hangs() {
		rest := d.Since.Add(d.bootTime()).Sub(now)
		return state, func(ctx context.Context) error { return w.clock.Sleep(ctx, rest) }
	}
	changed := w.changed
	return state, func(ctx context.Context) error { return wait(ctx, changed) }
}

// wait returns after the next change or with ctx's error.
func wait(ctx context.Context, happens <-chan struct{}) error {
	select {
	case <-happens:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Changed is closed at the next change of any device's power.
func (w *World) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}
