package devicectl

import (
	"context"

	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

var _ device.Examiner = (*handset)(nil)

// Examine checks whether CoreDevice reaches the device, and whether the device has the developer services.
func (h *handset) Examine(ctx context.Context) []device.Check {
	found, err := h.driver.tool().List(ctx)
	if err != nil {
		return []device.Check{{Name: device.StepTunnel, Status: device.CheckWarn,
			Message: "devicectl does not answer: " + fault.From(err).Message,
			Hint:    hint.Do("doctor") + " checks whether Xcode is installed"}}
	}
	for _, d := range found {
		if h.info.Is(info(d).UDID) {
			return steps(h.info, d)
		}
	}
	return nil
}

// steps are the checks that devicectl's list allows.
func steps(about device.Info, d ctl.Device) []device.Check {
	if d.Connection.Pairing != device.Paired {
		return []device.Check{device.FailedCheck(device.StepTrust, fault.New(fault.DeviceUnpaired, "%s does not trust this computer", about.Name).
			WithHint("unlock the device, connect it with a cable and tap Trust; if it does not ask, run %s",
				hint.Command("xcrun devicectl manage pair --device "+about.UDID)))}
	}
	if d.Connection.Tunnel == "unavailable" {
		return []device.Check{{Name: device.StepCable, Status: device.CheckFail, Message: about.Name + " is not connected to this computer",
			Hint: "connect it with a data cable, or to the same network, and unlock it"}}
	}
	tunnel := device.Check{Name: device.StepTunnel, Status: device.CheckOK, Message: "CoreDevice has a tunnel to it"}
	if d.Connection.Tunnel != "connected" {
		tunnel = device.Check{Name: device.StepTunnel, Status: device.CheckWarn,
			Message: "CoreDevice has no tunnel to it: " + d.Connection.Tunnel,
			Hint:    "CoreDevice opens one when needed. If tests do not start: stop VPNs and firewalls, reconnect the cable, restart the device"}
	}
	image := device.Check{Name: device.StepImage, Status: device.CheckOK, Message: "the developer disk image is mounted"}
	switch {
	case d.Extra["properties"] != nil: // since version 5 of its document
		image.Message = "devicectl does not report whether the developer disk image is mounted"
	case !d.Properties.Services:
		image = device.Check{Name: device.StepImage, Status: device.CheckWarn, Message: "the developer disk image of this Xcode is not mounted",
			Hint: "unlock the device, turn Developer Mode on, and open Window, Devices and Simulators in Xcode, which mounts it. A device " +
				"that is newer than this Xcode needs a newer Xcode"}
	}
	steps := []device.Check{tunnel, image}
	if d.Properties.DeveloperMode == "disabled" {
		off := fault.New(fault.DeveloperModeOff, "Developer Mode is off on %s", about.Name)
		steps = append(steps, device.FailedCheck(device.StepDeveloper, off))
	}
	return steps
}

// Terminate ends an app on a device.
func (d *Driver) Terminate(ctx context.Context, udid, bundle string) error {
	return (&handset{driver: d, info: device.Info{UDID: udid, Name: udid}}).Terminate(ctx, bundle)
}

// Running lists the running apps of a device by bundle id.
func (d *Driver) Running(ctx context.Context, udid string) (map[string]int, error) {
	h := &handset{driver: d, info: device.Info{UDID: udid, Name: udid}}
	apps, err := h.List(ctx)
	if err != nil {
		return nil, err
	}
	running := map[string]int{}
	for _, a := range apps {
		if a.PID != 0 {
			running[a.Bundle] = a.PID
		}
	}
	return running, nil
}
