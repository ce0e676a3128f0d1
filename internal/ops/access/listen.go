package access

import (
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/streams"
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
