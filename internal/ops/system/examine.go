package system

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
)

// examine tells which step to a physical device is missing. One that nobody knows lacks the first.
func (s *System) examine(ctx context.Context, named string, out *DoctorOut) error {
	h, err := s.d.Pool.Resolve(ctx, pool.Criteria{UDID: named})
	if fault.Is(err, fault.DeviceNotFound) {
		h, err = s.d.Pool.Resolve(ctx, pool.Criteria{Name: named})
	}
	if fault.Is(err, fault.DeviceNotFound) {
		out.add(device.Check{Name: device.StepCable, Status: device.CheckFail, Message: fault.From(err).Message,
			Hint: "connect it with a cable that carries data and unlock it; on " +
				"Linux install usbmuxd; `ios-agent devices --type device` lists the physical devices there are"})
		return nil
	}
	if err != nil {
		return err
	}
	if i := h.Info(); i.Type != device.TypePhysical {
		return fault.New(fault.InvalidInput, "%s (%s) is no physical device: it needs no such steps", i.Name, i.UDID).
			WithHint("`ios-agent devices --type device` lists the physical devices there are; `ios-agent doctor` checks the rest")
	}
	out.add(device.Examine(ctx, h.Device)...)
	return nil
}
