package usbmux

import (
	"context"
	"errors"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// Ready returns the fault that keeps this computer from running an agent on a device. A lock counts only after the agent failed, because
// a device reports a passcode and a lock in the same way.
func (m *Mux) Ready(ctx context.Context, udid string, failed error) error {
	a, err := m.About(ctx, udid)
	switch {
	case err != nil:
		return err
	case !a.Paired:
		return &UnpairedError{udid}
	case a.DeveloperMode != nil && !*a.DeveloperMode:
		return &DeveloperModeError{a}
	case failed != nil && a.Locked:
		return &LockedError{a, failed}
	}
	return nil
}

// DeveloperModeError means that a device refuses to run apps that were built here.
type DeveloperModeError struct{ About About }

func (e *DeveloperModeError) Error() string {
	return fmt.Sprintf("Developer Mode is off on %s (%s)", e.About.Name, e.About.UDID)
}

// Fault says how to turn it on.
func (e *DeveloperModeError) Fault() *fault.Fault {
	return fault.New(fault.DeveloperModeOff, "%s", e.Error()).WithHint("on the device, open Settings, Privacy & Security, Developer Mode; " +
		"turn it on, let the device restart and confirm it. The switch appears after Xcode has seen the device")
}

// LockedError means that a device is locked, and that a step failed which requires an unlocked device.
type LockedError struct {
	About  About
	Failed error
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s (%s) is locked: %v", e.About.Name, e.About.UDID, e.Failed)
}

// Unwrap returns the failure.
func (e *LockedError) Unwrap() error { return e.Failed }

// Fault says how to keep it unlocked.
func (e *LockedError) Fault() *fault.Fault {
	return fault.New(fault.DeviceLocked, "%w", e).WithHint("unlock it with its passcode and keep it awake: Settings, Display & Brightness, " +
		"Auto-Lock; then try again")
}

var _ device.Examiner = (*handset)(nil)

// Examine checks whether the device is connected, trusts this computer, is unlocked, and has Developer Mode on.
func (h *handset) Examine(ctx context.Context) []device.Check {
	ok := func(name, message string) device.Check {
		return device.Check{Name: name, Status: device.CheckOK, Message: message}
	}
	a, err := h.driver.Mux.About(ctx, h.info.UDID)
	var gone *NotAttachedError
	var none *NoMuxError
	switch {
	case errors.As(err, &gone), errors.As(err, &none):
		return []device.Check{device.FailedCheck(device.StepCable, err)}
	case err != nil:
		return []device.Check{device.FailedCheck(device.StepTrust, err)}
	}
	steps := []device.Check{ok(device.StepCable, "connected by cable")}
	if !a.Wired {
		steps[0].Message = "connected over the network"
	}
	if !a.Paired {
		return append(steps, device.FailedCheck(device.StepTrust, &UnpairedError{h.info.UDID}))
	}
	steps = append(steps, ok(device.StepTrust, "it trusts this computer"))
	if a.Locked {
		steps = append(steps, device.Check{Name: device.StepLock, Status: device.CheckWarn, Message: "it may be locked: it asks for its passcode",
			Hint: "unlock it before the agent is started or an app is launched"})
	} else {
		steps = append(steps, ok(device.StepLock, "it is unlocked"))
	}
	switch {
	case a.DeveloperMode == nil:
		steps = append(steps, ok(device.StepDeveloper, "the device does not report it; iOS before 16 has none"))
	case *a.DeveloperMode:
		steps = append(steps, ok(device.StepDeveloper, "Developer Mode is on"))
	default:
		steps = append(steps, device.FailedCheck(device.StepDeveloper, &DeveloperModeError{a}))
	}
	return steps
}
