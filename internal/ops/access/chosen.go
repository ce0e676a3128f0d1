package access

import (
	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Choice is the record of a device that a session chose.
func Choice(i device.Info) session.Choice { return session.Choice{UDID: i.UDID, Name: i.Name} }

// Unserved is the fault of a call without a device, in a session whose chosen device is missing. It does not fall back to another device:
// the session would then act on a screen that it has never seen.
func Unserved(chosen session.Choice, err error) error {
	f := fault.From(err)
	switch {
	case chosen.Lost():
		f = fault.New(fault.AppNotRunning, "the daemon was restarted and lost %s, which this session chose", chosen.Name)
	case chosen.UDID != "" && (f.Code == fault.DeviceNotFound || f.Code == fault.AppNotRunning):
		f = f.Within(chosen.Name + " (" + chosen.UDID + "), which this session chose, cannot be used")
	default:
		return err
	}
	return f.WithDispatch(fault.NotDispatched).
		WithHint("choose another device with %s; choose a desktop app with %s; %s lists the devices", hint.Do("use_device", "device", "NAME"),
			hint.Do("use_device", "device", "pid:N"), hint.Do("list_devices"))
}
