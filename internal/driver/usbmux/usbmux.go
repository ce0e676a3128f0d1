// Package usbmux reaches iPhones and iPads through usbmuxd, which every Mac has and Linux can have: it lists them, tells whether they
// trust this computer and have Developer Mode on, connects to their ports and follows their log. Of devicectl it needs nothing.
//
// It is a client of its own, not go-ios (v1.0.182), which the tests of the virtual usbmuxd use. go-ios takes the socket from the
// environment for every call, so that two worlds cannot live in one process; its calls have no context and leave connections open
// when they fail; it panics, with the pair record in its message, when there is none for a device; it believes any certificate; its
// forwarded ports listen on all interfaces; and it logs through a global logger.
//
// Pair records hold private keys. They are read when they are needed, kept nowhere, and no error has their bytes.
package usbmux

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// Mux is a usbmuxd.
type Mux struct {
	// Connect connects to it; Socket makes such a function.
	Connect func(ctx context.Context) (net.Conn, error)
}

// usualSocket is where usbmuxd listens on a Mac and on Linux.
const usualSocket = "/var/run/usbmuxd"

// Socket connects to the usbmuxd of an address, as others write it in USBMUXD_SOCKET_ADDRESS: the path of a socket, UNIX:PATH, or
// HOST:PORT. Empty is where every system has it.
func Socket(address string) func(context.Context) (net.Conn, error) {
	network, at := "unix", cmp.Or(address, usualSocket)
	if path, is := strings.CutPrefix(at, "UNIX:"); is {
		at = path
	} else if strings.Contains(at, ":") && !strings.HasPrefix(at, "/") {
		network = "tcp"
	}
	return func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, network, at) }
}

// patience is how long usbmuxd and a device may take to answer.
const patience = 15 * time.Second

// Device is a device that usbmuxd knows.
type Device struct {
	UDID string
	// Wired is by cable; else it is reached over the network.
	Wired bool

	id int // usbmuxd's, as long as the device is attached
}

// Devices are those that are attached now.
func (m *Mux) Devices(ctx context.Context) ([]Device, error) {
	c, err := m.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	answer, err := c.ask(map[string]any{"MessageType": "ListDevices"})
	if err != nil {
		return nil, because(ctx, err)
	}
	list, _ := answer["DeviceList"].([]any)
	all := []Device{}
	for _, one := range list {
		entry, _ := one.(map[string]any)
		about, _ := entry["Properties"].(map[string]any)
		d := Device{UDID: text(about, "SerialNumber"), Wired: text(about, "ConnectionType") == "USB", id: number(about["DeviceID"])}
		// A device that is reached both ways is listed twice. Its cable is the better one.
		switch i := slices.IndexFunc(all, func(o Device) bool { return o.UDID == d.UDID }); {
		case d.UDID == "":
		case i < 0:
			all = append(all, d)
		case d.Wired:
			all[i] = d
		}
	}
	return all, nil
}

// device finds a device by its udid.
func (m *Mux) device(ctx context.Context, udid string) (Device, error) {
	all, err := m.Devices(ctx)
	if err != nil {
		return Device{}, err
	}
	i := slices.IndexFunc(all, func(d Device) bool { return strings.EqualFold(d.UDID, udid) })
	if i < 0 {
		return Device{}, &NotAttachedError{udid}
	}
	return all[i], nil
}

// Dial connects to a port of a device, as if it were a port of its own. The ctx covers the connecting only. The caller closes the
// connection.
func (m *Mux) Dial(ctx context.Context, udid string, port int) (net.Conn, error) {
	d, err := m.device(ctx, udid)
	if err != nil {
		return nil, err
	}
	return m.open(ctx, d, port)
}

// The results of usbmuxd that mean something to us.
const (
	resultOK      = 0
	resultDevice  = 2
	resultRefused = 3
)

// open connects to a port of a device. The number goes over the wire with its bytes in the order of the network.
func (m *Mux) open(ctx context.Context, d Device, port int) (net.Conn, error) {
	if port < 1 || port > 1<<16-1 {
		return nil, fmt.Errorf("%d is no port", port)
	}
	c, err := m.dial(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := c.ask(map[string]any{"MessageType": "Connect", "DeviceID": d.id, "PortNumber": port>>8 | port&0xff<<8})
	if err == nil {
		switch result := number(answer["Number"]); result {
		case resultOK:
		case resultDevice:
			err = &NotAttachedError{d.UDID}
		case resultRefused:
			err = &RefusedError{d.UDID, port}
		default:
			err = fmt.Errorf("usbmuxd does not connect to port %d of %s: result %d", port, d.UDID, result)
		}
	}
	if err != nil {
		c.Close()
		return nil, because(ctx, err)
	}
	return c.release(), nil
}
