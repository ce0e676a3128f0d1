// Package appium drives a device through an Appium server that the user runs: W3C WebDriver over HTTP, and the execute methods of the
// server's XCUITest driver. Driver opens devices that other drivers list. It creates a session of its own and replaces a session that
// the server has lost. It must never start a server or send an input twice.
package appium

import (
	"cmp"
	"context"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

// Usual is the default address of an Appium server.
const Usual = "http://127.0.0.1:4723"

// Options change a driver.
type Options struct {
	// Capabilities are added to every session with their prefix: appium:webDriverAgentUrl.
	Capabilities map[string]any
	Clock        device.Clock // how a look waits; nil: the system's clock
}

// Driver opens devices that other drivers list.
type Driver struct{ o Options }

// New makes a driver. It does no I/O.
func New(o Options) *Driver {
	if o.Clock == nil {
		o.Clock = device.TimeOfDay{}
	}
	return &Driver{o}
}

// Spec is the driver's row in the table of drivers.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "appium", Drives: []string{device.TypeSimulator, device.TypePhysical}, Webs: true,
		Server: "an Appium server", At: Usual, Usual: Usual, Start: "start the Appium server",
	}
}

// Spec is the driver's row in the table of drivers.
func (d *Driver) Spec() device.DriverSpec { return Spec() }

// Probe asks the server for its state and version.
func (d *Driver) Probe(ctx context.Context, at string) (string, error) {
	c, err := webdriver.New(webdriver.Options{URL: cmp.Or(at, Usual)})
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx)
	if err == nil && !s.Ready {
		err = fmt.Errorf("the server is not ready: %s", cmp.Or(s.Message, "it gives no reason"))
	}
	if err != nil {
		return "", unreachable(c.URL(), err)
	}
	if s.Build == "" {
		return "an Appium server answers at " + c.URL(), nil
	}
	return fmt.Sprintf("Appium %s answers at %s", s.Build, c.URL()), nil
}

// Open returns a device; it connects at the first use.
func (d *Driver) Open(info device.Info, at string) device.Device {
	p := &phone{driver: d, info: info, at: cmp.Or(at, Usual), turn: device.NewLane()}
	p.Fingers.Send = p.perform
	p.client, p.wrong = webdriver.New(webdriver.Options{URL: p.at})
	return p
}

// unreachable means that the server cannot be used. Its cause is the server's error, or that no server listens.
func unreachable(at string, err error) error {
	if err == nil {
		return nil
	}
	return &device.UnreachableError{Driver: Spec(), At: at, Cause: err}
}

// lost makes the error of a request a fault; a server that does not answer has its own fault.
func (p *phone) lost(err error, acts bool) error {
	if err == nil || isFault(err) {
		return err // the creation of the session has already explained the error
	}
	if send, broken := asSend(err); broken && send.NoServer() {
		return unreachable(p.at, err)
	}
	return webdriver.Fault(err, p.who(), acts)
}

// who returns the server's name in messages.
func (p *phone) who() string { return "Appium at " + p.client.URL() }

// isFault reports whether an error is already a fault and not an answer of the server.
func isFault(err error) bool {
	switch err.(type) {
	case *device.UnreachableError, *fault.Fault, *webdriver.AddressError:
		return true
	}
	return false
}

// unsent is a fault of a command that was refused before it was sent.
func unsent(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).WithDispatch(fault.NotDispatched)
}
