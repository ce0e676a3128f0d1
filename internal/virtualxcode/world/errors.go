package world

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors, for errors.Is; an *Error has the words of the real tools.
var (
	ErrInvalidDevice = errors.New("no such device")
	ErrWrongState    = errors.New("device in the wrong state")
	ErrNotInstalled  = errors.New("app not installed")
	ErrNotRunning    = errors.New("app not running")
	ErrInvalidModel  = errors.New("no such device type or runtime")
	ErrNoHandler     = errors.New("no app opens this URL")
	ErrFault         = errors.New("armed fault")
	ErrNoFocus       = errors.New("no element has keyboard focus")
	ErrFocusLost     = errors.New("the keyboard focus was lost")
	ErrNoValue       = errors.New("the control does not accept this value")
	ErrTooDeep       = errors.New("more levels than can be read at once")
)

// Domains of Apple's errors.
const (
	simErrorDomain    = "com.apple.CoreSimulator.SimError"
	openURLDomain     = "LSApplicationWorkspaceErrorDomain"
	installDomain     = "IXErrorDomain"
	openAppDomain     = "FBSOpenApplicationServiceErrorDomain"
	posixDomain       = "NSPOSIXErrorDomain"
	xctestErrorDomain = "com.apple.dt.xctest.ui-testing.error"
)

// Error is an error in the words of Apple's tools. An empty Domain means an error printed without a domain; Code is then the exit
// status.
type Error struct {
	Domain     string
	Code       int
	Message    string // description, reason and suggestion, one per line
	Underlying *Error

	kind error
}

// Error returns the whole error on one line.
func (e *Error) Error() string {
	text := strings.ReplaceAll(e.Message, "\n", " ")
	if e.Domain != "" {
		text = fmt.Sprintf("%s (domain=%s, code=%d)", text, e.Domain, e.Code)
	}
	if e.Underlying != nil {
		text += ": " + e.Underlying.Error()
	}
	return text
}

// Is reports whether e is of the kind target.
func (e *Error) Is(target error) bool { return e.kind != nil && e.kind == target }

// Unwrap is the underlying error.
func (e *Error) Unwrap() error {
	if e.Underlying == nil {
		return nil
	}
	return e.Underlying
}

// exitNoDevice is simctl's exit status for an unknown device: code 404 of its domain, modulo 256.
const exitNoDevice = 148

func invalidDevice(name string) error {
	return &Error{Code: exitNoDevice, Message: "Invalid device: " + name, kind: ErrInvalidDevice}
}

func noneBooted() error {
	return &Error{Code: exitNoDevice, Message: "No devices are booted.", kind: ErrWrongState}
}

func wrongState(what string, s State) error {
	return &Error{Domain: simErrorDomain, Code: 405, kind: ErrWrongState,
		Message: fmt.Sprintf("Unable to %s in current state: %s", what, s)}
}

func cannotLaunch(bundle string) error {
	return &Error{Domain: openAppDomain, Code: 4, kind: ErrNotInstalled,
		Message: fmt.Sprintf("Simulator device failed to launch %s.", bundle),
		Underlying: &Error{Domain: openAppDomain, Code: 4,
			Message: fmt.Sprintf("The request to open %q failed.", bundle)}}
}

func nothingToTerminate(bundle string) error {
	const reason = "found nothing to terminate"
	return &Error{Domain: posixDomain, Code: 3, kind: ErrNotRunning,
		Message: fmt.Sprintf("Simulator device failed to terminate %s.\n%s", bundle, reason),
		Underlying: &Error{Domain: posixDomain, Code: 3,
			Message: fmt.Sprintf("The request to terminate %q failed. %s\n%s", bundle, reason, reason)}}
}

func noFocus() error {
	return &Error{Domain: xctestErrorDomain, Code: 1, kind: ErrNoFocus,
		Message: "Neither element nor any descendant has keyboard focus."}
}

func focusLost() error {
	return &Error{Domain: xctestErrorDomain, Code: 1, kind: ErrFocusLost,
		Message: "Failed to synthesize event: the element lost the keyboard focus while it was typed into."}
}

// exitInvalidModel is simctl's exit status for an unknown device type or runtime.
const exitInvalidModel = 161

func invalidType(name string) error {
	return &Error{Code: exitInvalidModel, Message: "Invalid device type: " + name, kind: ErrInvalidModel}
}

func invalidRuntime(name string) error {
	return &Error{Code: exitInvalidModel + 1, Message: "Invalid runtime: " + name, kind: ErrInvalidModel}
}

func incompatible() error {
	return &Error{Domain: simErrorDomain, Code: 403, Message: "Incompatible device", kind: ErrInvalidModel}
}

func unavailable(r Runtime) error {
	return &Error{Domain: simErrorDomain, Code: 164, kind: ErrWrongState,
		Message: "Unable to boot device because it cannot be located on disk.\n" + r.ID + ": " + r.Unavailable}
}

func cannotBoot() error {
	return &Error{Domain: posixDomain, Code: 60, kind: ErrFault,
		Message: "Unable to boot the Simulator.\nlaunchd failed to respond.",
		Underlying: &Error{Domain: simErrorDomain, Code: 401, Message: "Failed to start launchd_sim: could not bind to session, " +
			"launchd_sim may have crashed or quit responding"}}
}

func cannotInstall() error {
	const text = "Simulator device failed to install the application."
	return &Error{Domain: installDomain, Code: 13, kind: ErrFault, Message: text,
		Underlying: &Error{Domain: installDomain, Code: 13, Message: "The installation could not be completed."}}
}

func failsToLaunch(bundle string) error {
	return &Error{Domain: openAppDomain, Code: 1, kind: ErrFault,
		Message: fmt.Sprintf("Simulator device failed to launch %s.", bundle),
		Underlying: &Error{Domain: openAppDomain, Code: 1,
			Message: fmt.Sprintf("The request to open %q failed.", bundle)}}
}

// ServerDied is the error of a tool when CoreSimulatorService, or the services of a booted device, have died.
func ServerDied() error {
	return &Error{Domain: "NSMachErrorDomain", Code: -308, kind: ErrFault,
		Message: "The operation couldn’t be completed. (Mach error -308 - (ipc/mig) server died)"}
}

func noSurface() error {
	return &Error{Domain: posixDomain, Code: 60, kind: ErrFault, Message: "Timeout waiting for screen surfaces"}
}

func notResponding(bundle string) error {
	return &Error{Domain: xctestErrorDomain, Code: 10011, kind: ErrFault,
		Message: fmt.Sprintf("Failed to get matching snapshots: Timed out while evaluating UI query of %s.", bundle)}
}

func unreadable() error {
	return &Error{Domain: xctestErrorDomain, Code: 10006, kind: ErrFault,
		Message: "Failed to get matching snapshot: Error kAXErrorIllegalArgument getting snapshot for element."}
}

func levelsLost() error {
	return &Error{Domain: xctestErrorDomain, Code: 10006, kind: ErrTooDeep,
		Message: "Failed to get matching snapshot: Error kAXErrorIllegalArgument getting snapshot for element."}
}

func notInstalled(bundle string) error {
	return &Error{Domain: posixDomain, Code: 2, kind: ErrNotInstalled, Message: "No such file or directory\n" + bundle}
}

func systemApp(bundle string) error {
	return &Error{Domain: installDomain, Code: 34, kind: ErrWrongState,
		Message: fmt.Sprintf("Simulator device failed to uninstall %s.\nSystem apps cannot be removed.", bundle)}
}

func cannotRotate(t DeviceType, to Orientation) error {
	return &Error{Domain: xctestErrorDomain, Code: 2, kind: ErrInvalidModel,
		Message: fmt.Sprintf("%s cannot be held %s.", t.Name, to)}
}

func cannotSet(value string) error {
	return &Error{Domain: xctestErrorDomain, Code: 3, kind: ErrNoValue,
		Message: fmt.Sprintf("Nothing there takes the value %q.", value)}
}

func cannotOpen(url string) error {
	return &Error{Domain: openURLDomain, Code: 115, kind: ErrNoHandler,
		Message: fmt.Sprintf("Simulator device failed to open %s.", url),
		Underlying: &Error{Domain: openURLDomain, Code: 115,
			Message: "The operation couldn’t be completed. (LSApplicationWorkspaceErrorDomain error 115.)"}}
}
