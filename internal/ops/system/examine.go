package system

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// physical is the call that lists the physical devices.
func physical() string { return hint.Do("list_devices", "type", "device") }

// examine checks each step that makes a physical device usable. An unknown device fails the first step, the cable.
func (s *System) examine(ctx context.Context, named string, out *DoctorOut) error {
	h, err := s.d.Pool.Resolve(ctx, pool.Criteria{UDID: named})
	if fault.Is(err, fault.DeviceNotFound) {
		h, err = s.d.Pool.Resolve(ctx, pool.Criteria{Name: named})
	}
	if fault.Is(err, fault.DeviceNotFound) {
		out.add(device.Check{Name: device.StepCable, Status: device.CheckFail, Message: fault.From(err).Message,
			Hint: "connect it with a data cable and unlock it; on Linux install usbmuxd; " + physical() + " lists the physical devices"})
		return nil
	}
	if err != nil {
		return err
	}
	if i := h.Info(); i.Type != device.TypePhysical {
		return fault.New(fault.InvalidInput, "cannot examine %s (%s): only physical devices need these steps", i.Name, i.UDID).
			WithHint("%s lists the physical devices; %s checks the rest", physical(), hint.Do("doctor"))
	}
	out.add(device.Examine(ctx, h.Device)...)
	return nil
}
