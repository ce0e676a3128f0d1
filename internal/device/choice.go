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

// DriverSpec is what there is to know of a driver that can be chosen for a device. A driver's package has its own; the table of all of them
// is made where the product is wired, and the floors between get its rows as values. Keys of the configuration, flags, variables and hints
// are made of it.
type DriverSpec struct {
	Name   string   // value of the input driver
	Drives []string // the types of devices that it can look at and touch; none: it has no eyes
	Server string   // what it works through, such as "an Appium server"; empty: nothing that has an address
	At     string   // an address of it, as an example
	Usual  string   // the address that is taken when none is given; empty: there is none
	Start  string   // what a person does where it does not answer, such as "start the Appium server"
	// Buttons are the hardware buttons that it presses on the devices it drives, also where the usual driver has none of them.
	Buttons []string
	Webs    bool // it also looks into the web views of devices that others drive
}

// URLKey is the key of the configuration that names its server.
func (s DriverSpec) URLKey() string { return s.Name + "Url" }

// URLFlag is the flag that names its server.
func (s DriverSpec) URLFlag() string { return s.Name + "-url" }

// named says how its server is started and named.
func (s DriverSpec) named() string {
	return fmt.Sprintf("%s and set its address: %s", s.Start, hint.Do("session_set_defaults", s.URLKey(), s.At))
}

// Can reports whether it looks at devices of a type and touches them.
func (s DriverSpec) Can(kind string) bool { return slices.Contains(s.Drives, kind) }

// UnreachableError says that a driver cannot drive a device: the server that it works through does not answer, refuses, or is none. It is
// the error of every method of a device whose driver has no connection. Nothing was sent.
type UnreachableError struct {
	Driver DriverSpec
	At     string // the address; empty: it has none
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

// Fault says where a server is expected. Which other driver would do is for those to say who know the device.
func (e *UnreachableError) Fault() *fault.Fault {
	var foreign interface{ Foreign() bool } // another user's server: it answers, and is not asked
	if errors.As(e.Cause, &foreign) {
		return fault.New(fault.Forbidden, "%w", e).WithDispatch(fault.NotDispatched).With("driver", e.Driver.Name).
			WithHint("%s, at a port that nobody else has", e.Driver.named())
	}
	f := fault.New(fault.DriverFailed, "%w", e).WithDispatch(fault.NotDispatched).With("driver", e.Driver.Name)
	if e.Driver.Server == "" {
		return f
	}
	return f.WithHint("%s", e.Driver.named())
}

// WebView is a place on the screen where an app shows a page, and accessibility does not say what is in it.
type WebView struct {
	Title string // its label, if it has one
	Frame ui.Rect
}

// Webs look into the pages of web views by other ways than accessibility. The elements have frames in points of the screen, and their
// Source is ui.SourceWeb. A view whose page is not found is not in the answer.
type Webs interface {
	Page(ctx context.Context, view WebView) ([]*ui.Node, error)
}
