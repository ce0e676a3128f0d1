package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// DriverSpec describes a driver that can be chosen for a device. Each driver's package has its own; the wiring of the product collects
// them in a table and passes the rows down as values. Configuration keys, flags, variables and hints derive from it.
type DriverSpec struct {
	Name   string   // value of the input driver
	Drives []string // types of the devices that it can look at and touch; empty: none
	Server string   // kind of its server, such as "an Appium server"; empty: it has none
	At     string   // example address
	Usual  string   // default address; may be empty
	Start  string   // remedy if the server does not answer, such as "start the Appium server"
	// Buttons are the hardware buttons that it presses on its devices, including buttons that the default driver lacks.
	Buttons []string
	Webs    bool // it also looks into the web views of other drivers' devices
}

// URLKey is the configuration key of its server's address.
func (s DriverSpec) URLKey() string { return s.Name + "Url" }

// URLFlag is the flag of its server's address.
func (s DriverSpec) URLFlag() string { return s.Name + "-url" }

// named says how to start its server and set the address.
func (s DriverSpec) named() string {
	return fmt.Sprintf("%s and set its address: %s", s.Start, hint.Do("session_set_defaults", s.URLKey(), s.At))
}

// Can reports whether it looks at devices of a type and touches them.
func (s DriverSpec) Can(kind string) bool { return slices.Contains(s.Drives, kind) }

// UnreachableError says that a driver cannot drive a device, because its server is missing, does not answer or refuses. Every method of
// a device without a connection returns it. The input is not dispatched.
type UnreachableError struct {
	Driver DriverSpec
	At     string // the address; may be empty
	Cause  error
}

func (e *UnreachableError) Error() string {
	at := ""
	if e.At != "" {
		at = " at " + e.At
	}
	return fmt.Sprintf("the driver %s%s cannot be used: %v", e.Driver.Name, at, e.Cause)
}

// Unwrap gives the reason.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// Fault names the expected server. The pool adds other drivers, because it knows the device.
func (e *UnreachableError) Fault() *fault.Fault {
	var foreign interface{ Foreign() bool } // another user's server, which must not be used
	if errors.As(e.Cause, &foreign) {
		return fault.New(fault.Forbidden, "%w", e).WithDispatch(fault.NotDispatched).With("driver", e.Driver.Name).
			WithHint("%s, at an unused port", e.Driver.named())
	}
	f := fault.New(fault.DriverFailed, "%w", e).WithDispatch(fault.NotDispatched).With("driver", e.Driver.Name)
	if e.Driver.Server == "" {
		return f
	}
	return f.WithHint("%s", e.Driver.named())
}

// WebView is an area of the screen with a web page that accessibility does not expose.
type WebView struct {
	Title string // its label; may be empty
	Frame ui.Rect
}

// Webs read the pages of web views by other ways than accessibility. Elements have frames in points of the screen and the Source
// ui.SourceWeb. A view without a known page is missing in the answer.
type Webs interface {
	Page(ctx context.Context, view WebView) ([]*ui.Node, error)
}
