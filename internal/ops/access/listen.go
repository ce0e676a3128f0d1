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

// Listen begins to follow an app that is about to be launched: its log, and its output unless the caller has files for that. The caller
// passes the result of the launch to the function that Listen returns. A launch never fails because of this: the state of the log source
// says why it has no lines.
func (d Access) Listen(c *op.Call, h *pool.Handle, bundle string, how *device.Launch) (launched func(pid int, err error)) {
	owner := device.Owner{Session: c.Session, UDID: h.Info().UDID}
	to := streams.Output{Stdout: how.Stdout, Stderr: how.Stderr}
	if h.Info().Type != device.TypePhysical && to == (streams.Output{}) {
		if made, err := d.Said.NewOutput(owner, bundle); err == nil { // else its output is not captured
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

// hearAgain resumes the logs that a session followed on a device before the daemon restarted: the session drives the device again.
func (d Access) hearAgain(h *pool.Handle) {
	if session := h.Driver(); session != "" && d.Said != nil {
		d.Said.Return(h.Device, device.Owner{Session: session, UDID: h.Info().UDID})
	}
}

// HearAll resumes all logs that were followed before the daemon restarted, for a session that reads the lines of all devices. It forgets
// the logs of devices that no longer exist.
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

// EndOff stops following the apps of devices that another program shut down or deleted.
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

// Off stops following the apps of a device that was just shut down.
func (d Access) Off(udid string) {
	if d.Said != nil {
		d.Said.Off(udid)
	}
}

// Front is the app that the session last saw in front on the device of its call; empty if unknown.
func (d Access) Front(c *op.Call) (app string) {
	if c.Device != nil {
		d.Sessions.Get(c.Session).Refs(func(r *ui.Refs) { app = r.LastApp(c.Device.UDID) })
	}
	return app
}
