// Package appium drives a device through an Appium server that somebody else runs: W3C WebDriver over HTTP, and the execute methods of its
// XCUITest driver. It attaches with a session of its own, which it makes anew when the server has lost it, and never sends an input twice.
// It starts no server.
package appium

import (
	"cmp"
	"context"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

// Usual is where an Appium server listens when nobody says otherwise.
const Usual = "http://127.0.0.1:4723"

// Options change a driver.
type Options struct {
	// Capabilities are asked of every session besides ours, with their prefix: appium:webDriverAgentUrl.
	Capabilities map[string]any
	Clock        device.Clock // how a look waits; nil is the time of day
}

// Driver opens devices that others list.
type Driver struct{ o Options }

// New makes a driver. It does no I/O.
func New(o Options) *Driver {
	if o.Clock == nil {
		o.Clock = device.TimeOfDay{}
	}
	return &Driver{o}
}

// Spec is the driver's row of the table of drivers.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "appium", Drives: []string{device.TypeSimulator, device.TypePhysical}, Webs: true,
		Server: "an Appium server", At: Usual, Usual: Usual, Start: "start the Appium server",
	}
}

// Spec is what the driver is.
func (d *Driver) Spec() device.DriverSpec { return Spec() }

// Probe asks the server what it is.
func (d *Driver) Probe(ctx context.Context, at string) (string, error) {
	c, err := webdriver.New(webdriver.Options{URL: cmp.Or(at, Usual)})
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx)
	if err == nil && !s.Ready {
		err = fmt.Errorf("it is not ready: %s", cmp.Or(s.Message, "it gives no reason"))
	}
	if err != nil {
		return "", unreachable(c.URL(), err)
	}
	if s.Build == "" {
		return "an Appium server answers at " + c.URL(), nil
	}
	return fmt.Sprintf("Appium %s answers at %s", s.Build, c.URL()), nil
}

// Open gives a device; it connects when it is first used.
func (d *Driver) Open(info device.Info, at string) device.Device {
	p := &phone{driver: d, info: info, at: cmp.Or(at, Usual), turn: device.NewLane()}
	p.Fingers.Send = p.perform
	p.client, p.wrong = webdriver.New(webdriver.Options{URL: p.at})
	return p
}

// unreachable says that the server cannot be used. Why stands in its cause: what the server said, or that there is none.
func unreachable(at string, err error) error {
	if err == nil {
		return nil
	}
	return &device.UnreachableError{Driver: Spec(), At: at, Cause: err}
}

// lost is the error of a request as a fault. A server that is not there is told as such.
func (p *phone) lost(err error, acts bool) error {
	if err == nil || isFault(err) {
		return err // why there is no session was told where it was made
	}
	if send, broken := asSend(err); broken && send.NoServer() {
		return unreachable(p.at, err)
	}
	return webdriver.Fault(err, p.who(), acts)
}

// who is the server as faults name it.
func (p *phone) who() string { return "Appium at " + p.client.URL() }

// isFault reports whether an error says already what a caller gets, and is no answer of the server.
func isFault(err error) bool {
	switch err.(type) {
	case *device.UnreachableError, *fault.Fault, *webdriver.AddressError:
		return true
	}
	return false
}

// unsent is the fault of what was refused before anything left.
func unsent(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).WithDispatch(fault.NotDispatched)
}
