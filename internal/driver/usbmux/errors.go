package usbmux

import (
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// NoMuxError means that usbmuxd cannot be reached.
type NoMuxError struct{ Err error }

func (e *NoMuxError) Error() string { return "usbmuxd cannot be reached: " + e.Err.Error() }

// Unwrap gives the reason.
func (e *NoMuxError) Unwrap() error { return e.Err }

// Fault says what to install: macOS has it.
func (e *NoMuxError) Fault() *fault.Fault {
	return fault.New(fault.ToolMissing, "%w", e).
		WithHint("macOS runs it by itself; on Linux install the package usbmuxd and connect the device")
}

// AnswerError means that usbmuxd, or what stands in its place, does not answer as usbmuxd does.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string {
	return "usbmuxd gives no answer that can be used: " + e.Err.Error()
}

// Unwrap gives the reason.
func (e *AnswerError) Unwrap() error { return e.Err }

// Fault says who can mend it.
func (e *AnswerError) Fault() *fault.Fault {
	return fault.New(fault.ToolFailed, "%w", e).WithHint("start usbmuxd again; what forwards its socket must pass it on as it is")
}

// NotAttachedError means that a device is neither at a cable nor on the network.
type NotAttachedError struct{ UDID string }

func (e *NotAttachedError) Error() string {
	return fmt.Sprintf("%s is not connected to this computer", e.UDID)
}

// Fault says where to look.
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

// RefusedError means that nobody listens on a port of a device.
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
	return fmt.Sprintf("lockdownd of %s refuses %s: %.80q", e.UDID, e.Request, e.Why)
}

// Fault names what the words of lockdownd mean.
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
