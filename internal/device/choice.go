package device

import (
	"context"
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// The names of the drivers that can be chosen for a device.
const (
	DriverXCTest    = "xctest"    // our own agent
	DriverWDA       = "wda"       // WebDriverAgent, at a URL or started by us
	DriverAppium    = "appium"    // an Appium server
	DriverIDB       = "idb"       // idb_companion, at an address or started by us
	DriverDevicectl = "devicectl" // no eyes and no fingers
)

// Drivers are the names of all drivers that can be chosen.
func Drivers() []string {
	return []string{DriverXCTest, DriverWDA, DriverAppium, DriverIDB, DriverDevicectl}
}

// UnreachableError says that a driver cannot drive a device: the server that it works through does not answer, refuses, or is none. It is
// the error of every method of a device whose driver has no connection. Nothing was sent.
type UnreachableError struct {
	Driver string
	At     string // the address; empty: it has none
	Cause  error
}

func (e *UnreachableError) Error() string {
	at := ""
	if e.At != "" {
		at = " at " + e.At
	}
	return fmt.Sprintf("the driver %s%s cannot be used: %v", e.Driver, at, e.Cause)
}

// Unwrap gives the reason.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// Fault says where a server is expected. Which other driver would do is for those to say who know the device.
func (e *UnreachableError) Fault() *fault.Fault {
	f := fault.New(fault.DriverFailed, "%w", e).WithDispatch(fault.NotDispatched).With("driver", e.Driver)
	hint := map[string]string{
		DriverWDA:    "start WebDriverAgent and say where it is: `ios-agent session-set-defaults --wda-url http://127.0.0.1:8100`",
		DriverAppium: "start the Appium server and say where it is: `ios-agent session-set-defaults --appium-url http://127.0.0.1:4723`",
		DriverIDB: "install idb-companion, with Homebrew from facebook/fb; or start one and say where it is: " +
			"`ios-agent session-set-defaults --idb-url unix:///tmp/idb.sock`",
	}[e.Driver]
	if hint == "" {
		return f
	}
	return f.WithHint("%s", hint)
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
