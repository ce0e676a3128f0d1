package world

import (
	"errors"
	"fmt"
	"strings"
)

// What kind of thing went wrong, for errors.Is; an *Error carries the words of the real tools.
var (
	ErrInvalidDevice = errors.New("no such device")
	ErrWrongState    = errors.New("device in the wrong state")
	ErrNotInstalled  = errors.New("app not installed")
	ErrNotRunning    = errors.New("app not running")
	ErrNoFocus       = errors.New("nothing has keyboard focus")
)

// The domains of Apple's errors used here.
const (
	simErrorDomain    = "com.apple.CoreSimulator.SimError"
	openAppDomain     = "FBSOpenApplicationServiceErrorDomain"
	posixDomain       = "NSPOSIXErrorDomain"
	xctestErrorDomain = "com.apple.dt.xctest.ui-testing.error"
)

// Error is an error as Apple's tools word it. An empty Domain is an error they print without one; Code is then
// the status they exit with.
type Error struct {
	Domain     string
	Code       int
	Message    string // description, reason and suggestion, one a line
	Underlying *Error

	kind error
}

// Error is all of it in one line.
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

// Is reports whether e is of the kind target is.
func (e *Error) Is(target error) bool { return e.kind != nil && e.kind == target }

// Unwrap is the underlying error.
func (e *Error) Unwrap() error {
	if e.Underlying == nil {
		return nil
	}
	return e.Underlying
}

// exitNoDevice is what simctl exits with when it finds no device: code 404 of its domain, modulo 256.
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
