package access

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
)

// Listen has an app heard that is about to be launched: its log, beside the launch, and what it prints unless the caller has files for
// that. The function that it gives is told what came of the launch. Nothing of this makes a launch fail: why something is not heard
// is the state of its source.
func (d Access) Listen(c *op.Call, h *pool.Handle, bundle string, how *device.Launch) (launched func(pid int, err error)) {
	owner := device.Owner{Session: c.Session, UDID: h.Info().UDID}
	to := streams.Output{Stdout: how.Stdout, Stderr: how.Stderr}
	if h.Info().Type != device.TypePhysical && to == (streams.Output{}) {
		if made, err := d.Said.NewOutput(owner, bundle); err == nil { // else what it prints is not heard
			to, how.Stdout, how.Stderr = made, made.Stdout, made.Stderr
		}
	}
	d.Said.Follow(h.Device, streams.Request{Owner: owner, App: bundle, On: true, Launch: true})
	restart := how.Restart
	return func(pid int, err error) {
		switch {
		case fault.Is(err, fault.AppNotFound):
			d.Said.Stop(owner, bundle)
			to.Discard()
		case err != nil:
			to.Discard()
		case to != (streams.Output{}):
			d.Said.Printed(streams.Launched{Owner: owner, App: bundle, PID: pid, To: to, New: restart})
		}
	}
}

// hearAgain has what a session followed on a device before the daemon was restarted be heard again: the session drives the device again.
func (d Access) hearAgain(h *pool.Handle) {
	if session := h.Driver(); session != "" && d.Said != nil {
		d.Said.Return(h.Device, device.Owner{Session: session, UDID: h.Info().UDID})
	}
}

// HearAll has all that was followed and that nobody hears now be heard again, for a session that reads what all devices said. A device that
// cannot be found says nothing.
func (d Access) HearAll(ctx context.Context, session string) {
	if d.Said == nil || d.Pool == nil {
		return
	}
	for _, udid := range d.Said.Unheard() {
		h, err := d.Pool.Resolve(ctx, pool.Criteria{UDID: udid, Holder: session})
		if fault.Is(err, fault.DeviceNotFound) {
			d.Said.Forget(udid)
		}
		if err == nil {
			d.Said.Resume(h.Device, streams.Request{Owner: device.Owner{Session: session, UDID: udid}})
		}
	}
}

// EndOff ends what is followed of apps whose device was switched off, or deleted, by somebody else.
func (d Access) EndOff(ctx context.Context) {
	if d.Said == nil || d.Pool == nil {
		return
	}
	for _, udid := range d.Said.Printing() {
		if state, err := d.Pool.State(ctx, udid); fault.Is(err, fault.DeviceNotFound) || err == nil && state != device.Booted {
			d.Said.Off(udid)
		}
	}
}

// Off ends what is followed of the apps of a device that was just switched off.
func (d Access) Off(udid string) {
	if d.Said != nil {
		d.Said.Off(udid)
	}
}

// Front is the app that a session saw in front last on the device of its call; empty where none is known.
func (d Access) Front(c *op.Call) (app string) {
	if c.Device != nil {
		d.Sessions.Get(c.Session).Refs(func(r *ui.Refs) { app = r.LastApp(c.Device.UDID) })
	}
	return app
}
