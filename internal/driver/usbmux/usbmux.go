// Package usbmux reaches iPhones and iPads through usbmuxd, which every Mac has and Linux can have. It lists devices, checks their trust
// and Developer Mode, connects to their ports and follows their log. Mux is the client, Driver the driver on top of it. It works without
// devicectl.
//
// It does not use go-ios (v1.0.182), with which the tests check the virtual usbmuxd. go-ios reads the socket's address from the environment
// at every call, so that two worlds cannot share a process; its calls have no context and leave connections open after errors; it panics,
// with the pair record in its message, when a device has no record; it accepts any certificate; its forwarded ports listen on all
// interfaces; and it logs through a global logger.
//
// Pair records contain private keys. The package reads them when needed, stores them nowhere, and must not put their bytes into errors.
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

// Mux is a client of usbmuxd.
type Mux struct {
	// Connect connects to usbmuxd; Socket makes such a function.
	Connect func(ctx context.Context) (net.Conn, error)
}

// usualSocket is usbmuxd's socket on a Mac and on Linux.
const usualSocket = "/var/run/usbmuxd"

// Socket connects to the usbmuxd at an address in the format of USBMUXD_SOCKET_ADDRESS: the path of a socket, UNIX:PATH, or HOST:PORT.
// "" is the usual socket.
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
	// Wired means a cable; false means the network.
	Wired bool

	id int // usbmuxd's number of the device while it is attached
}

// Devices are the attached devices.
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
		// A device with both connections is listed twice. The cable is better.
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

// Wired reports whether a cable connects a device.
func (m *Mux) Wired(ctx context.Context, udid string) (bool, error) {
	d, err := m.device(ctx, udid)
	return d.Wired, err
}

// Dial connects to a port of a device. The ctx covers connecting only. The caller closes the connection.
func (m *Mux) Dial(ctx context.Context, udid string, port int) (net.Conn, error) {
	d, err := m.device(ctx, udid)
	if err != nil {
		return nil, err
	}
	return m.open(ctx, d, port)
}

// The results of usbmuxd that the package distinguishes.
const (
	resultOK      = 0
	resultDevice  = 2
	resultRefused = 3
)

// open connects to a port of a device. The port is sent in network byte order.
func (m *Mux) open(ctx context.Context, d Device, port int) (net.Conn, error) {
	if port < 1 || port > 1<<16-1 {
		return nil, fmt.Errorf("invalid port %d", port)
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
			err = fmt.Errorf("usbmuxd cannot connect to port %d of %s: result %d", port, d.UDID, result)
		}
	}
	if err != nil {
		c.Close()
		return nil, because(ctx, err)
	}
	return c.release(), nil
}
