package access

import (
	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
)

// Choice is a device as what a session chose.
func Choice(i device.Info) session.Choice { return session.Choice{UDID: i.UDID, Name: i.Name} }

// Unserved is the fault of a call that names no device and whose session chose one that is not there. No other device is taken
// instead: the session would act where nobody looks.
func Unserved(chosen session.Choice, err error) error {
	f := fault.From(err)
	switch {
	case chosen.Lost():
		f = fault.New(fault.AppNotRunning, "%s, which this session chose, is not known since the daemon was restarted", chosen.Name)
	case chosen.UDID != "" && (f.Code == fault.DeviceNotFound || f.Code == fault.AppNotRunning):
		f = f.Within(chosen.Name + " (" + chosen.UDID + "), which this session chose, cannot be used")
	default:
		return err
	}
	return f.WithDispatch(fault.NotDispatched).
		WithHint("choose another: `ios-agent use NAME`, or a desktop app: `ios-agent use --pid N`; `ios-agent devices` lists the devices")
}
