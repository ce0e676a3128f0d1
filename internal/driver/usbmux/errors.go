package usbmux

import (
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// NoMuxError means that usbmuxd cannot be reached.
type NoMuxError struct{ Err error }

func (e *NoMuxError) Error() string { return "cannot connect to usbmuxd: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *NoMuxError) Unwrap() error { return e.Err }

// Fault says what to install: macOS includes usbmuxd.
func (e *NoMuxError) Fault() *fault.Fault {
	return fault.New(fault.ToolMissing, "%w", e).
		WithHint("on Linux, install the package usbmuxd and connect the device; macOS runs usbmuxd by itself")
}

// AnswerError means that the answer does not follow usbmuxd's protocol.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string {
	return "usbmuxd sent an unusable answer: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *AnswerError) Unwrap() error { return e.Err }

// Fault says how to repair it.
func (e *AnswerError) Fault() *fault.Fault {
	return fault.New(fault.ToolFailed, "%w", e).WithHint("start usbmuxd again; a program that forwards its socket must not change the bytes")
}

// NotAttachedError means that a device is connected neither by cable nor over the network.
type NotAttachedError struct{ UDID string }

func (e *NotAttachedError) Error() string {
	return fmt.Sprintf("%s is not connected to this computer", e.UDID)
}

// Fault says how to connect it.
func (e *NotAttachedError) Fault() *fault.Fault {
	return fault.New(fault.DeviceNotFound, "%s", e.Error()).
		WithHint("connect it with a data cable and unlock it; %s checks the rest", hint.Do("doctor", "device", e.UDID))
}

// UnpairedError means that a device does not trust this computer.
type UnpairedError struct{ UDID string }

func (e *UnpairedError) Error() string { return fmt.Sprintf("%s does not trust this computer", e.UDID) }

// Fault says how the device comes to trust it.
func (e *UnpairedError) Fault() *fault.Fault {
	return fault.New(fault.DeviceUnpaired, "%s", e.Error()).WithHint("unlock the device, connect it with a cable and tap Trust; "+
		"if it does not ask, run %s", hint.Command("xcrun devicectl manage pair --device "+e.UDID))
}

// RefusedError means that a port of a device refuses connections.
type RefusedError struct {
	UDID string
	Port int
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("nobody listens on port %d of %s", e.Port, e.UDID)
}

// LockdownError is a refusal of lockdownd.
type LockdownError struct {
	UDID    string
	Request string
	Why     string // in lockdownd's own word
}

func (e *LockdownError) Error() string {
	return fmt.Sprintf("lockdownd of %s refused %s: %.80q", e.UDID, e.Request, e.Why)
}

// Fault translates lockdownd's words.
func (e *LockdownError) Fault() *fault.Fault {
	switch e.Why {
	case "PasswordProtected":
		return fault.New(fault.DeviceLocked, "%s is locked", e.UDID).WithHint("unlock it with its passcode, then try again")
	case "InvalidHostID", "PairingDialogResponsePending", "UserDeniedPairing":
		return (&UnpairedError{e.UDID}).Fault()
	case "InvalidService":
		return fault.New(fault.Unsupported, "%w", e).WithHint("%s shows what the device lacks", hint.Do("doctor", "device", e.UDID))
	}
	return fault.New(fault.ToolFailed, "%w", e)
}
