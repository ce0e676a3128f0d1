// Package wda drives a device through WebDriverAgent. It uses a running server, which it reaches by its URL or through a forwarded port, or
// starts a server on a simulator. Driver lists and opens devices. It replaces lost sessions and must never send an input twice.
//
// WebDriverAgent cannot check at the moment of a touch what lies under the finger: a step looks before and after (device/act). Things that
// WebDriverAgent does not report, such as a banner over the app, stay unknown.
package wda

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/machine/host"
)

// Options say where WebDriverAgent is. With empty Options the driver lists no device.
type Options struct {
	// URL is the server of a device that no other driver lists; the list shows it under an id derived from the address.
	URL string
	// URLs are the servers of devices that other drivers list too, by udid. The other drivers keep apps, files and power.
	URLs map[string]string
	// Dial connects to a port of a device, as usbmuxd does, instead of to the host of its URL. With Dial, a physical device needs no
	// URL: its server listens on WebDriverAgent's usual port. Dial may be nil.
	Dial func(ctx context.Context, udid string, port int) (net.Conn, error)
	// Ready returns the fault that keeps this computer from using a physical device; nil if it finds none. failed is the error of the
	// connection to the server. Dial and a physical device require it.
	Ready func(ctx context.Context, udid string, failed error) error
	// Start says how to start a server on devices without a URL; nil: start none.
	Start *Start
	Host  *host.Host      // runs the tools that start a server; required with Start
	Tools apple.Toolchain // required with Start

	Clock device.Clock
}

// Any reports whether the options name a device.
func (o Options) Any() bool {
	return o.URL != "" || len(o.URLs) > 0 || o.Start != nil && len(o.Start.UDIDs) > 0
}

// Driver opens devices that have a WebDriverAgent.
type Driver struct{ opts Options }

var _ device.Driver = (*Driver)(nil)

// New makes a driver. It does no I/O.
func New(o Options) *Driver {
	if o.Clock == nil {
		o.Clock = device.TimeOfDay{}
	}
	return &Driver{opts: o}
}

// Spec is the driver's row in the table of drivers. It has no usual address: without an address, the driver starts a server or connects
// through usbmuxd.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "wda", Drives: []string{device.TypeSimulator, device.TypePhysical}, Server: "WebDriverAgent", At: "http://127.0.0.1:8100",
		Start: "start WebDriverAgent",
	}
}

// Name is the driver's name in messages.
func (d *Driver) Name() string { return Spec().Name }

// alone begins the id of a device that only its server knows.
const alone = "wda:"

// aloneID is the id of the device behind a URL.
func aloneID(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return alone + address
	}
	return alone + u.Host
}

// List returns the configured devices. It asks the server of a device that no other driver lists for a description; if that server does
// not answer, List fails only if the device is the only one.
func (d *Driver) List(ctx context.Context) ([]device.Info, error) {
	infos := []device.Info{}
	for udid := range d.opts.URLs {
		infos = append(infos, device.Info{UDID: udid})
	}
	if d.opts.Start != nil {
		for _, udid := range d.opts.Start.UDIDs {
			if d.address(udid) == "" {
				infos = append(infos, device.Info{UDID: udid})
			}
		}
	}
	slices.SortFunc(infos, func(a, b device.Info) int { return strings.Compare(a.UDID, b.UDID) })
	if d.opts.URL == "" {
		return infos, nil
	}
	one, err := d.describe(ctx)
	switch {
	case err == nil:
		infos = append(infos, one)
	case len(infos) == 0:
		return nil, err
	}
	return infos, nil
}

// listWait is how long a server may take to describe its device.
const listWait = 5 * time.Second

// describe asks the server of a device that no other driver lists for a description.
func (d *Driver) describe(ctx context.Context) (device.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	info := device.Info{UDID: aloneID(d.opts.URL), Name: "WebDriverAgent at " + d.opts.URL, Type: device.TypePhysical, State: device.Booted}
	client, err := d.clientAt(info.UDID, d.opts.URL)
	if err != nil {
		return info, err
	}
	defer client.Close()
	status, err := client.Status(ctx)
	if err != nil {
		return info, newPhone(d, info, true).lost(ctx, err)
	}
	info.Available, info.OS = status.Ready, strings.TrimSpace(status.OS+" "+status.Version)
	if status.Simulator != "" {
		info.Type = device.TypeSimulator
	}
	info.Family = map[string]string{"iphone": "iPhone", "ipad": "iPad"}[status.Device]
	about, err := webdriver.Ask[struct{ Name, Model string }](ctx, client, webdriver.Get("/wda/device/info"))
	if err == nil { // older versions do not have this route
		info.Name, info.Model = cmp.Or(about.Name, info.Name), about.Model
	}
	return info, nil
}

// address is the URL of a device's server; "" without one.
func (d *Driver) address(udid string) string {
	if d.opts.URL != "" && udid == aloneID(d.opts.URL) {
		return d.opts.URL
	}
	for id, address := range d.opts.URLs {
		if strings.EqualFold(id, udid) {
			return address
		}
	}
	return ""
}

// clientAt makes a client for the server of a device.
func (d *Driver) clientAt(udid, address string) (*webdriver.Client, error) {
	o := webdriver.Options{URL: address}
	if d.opts.Dial != nil {
		o.Dial = func(ctx context.Context) (net.Conn, error) { return d.opts.Dial(ctx, udid, portOf(address)) }
	}
	return webdriver.New(o)
}

// portOf is the port of an address; 0 without one.
func portOf(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(u.Port())
	return port
}

// Open returns a device without sending anything. A device that only its server knows can also launch apps.
func (d *Driver) Open(info device.Info) device.Device {
	if strings.HasPrefix(info.UDID, alone) {
		return d.Attach(info)
	}
	return newPhone(d, info, false)
}

// Attach is Open for a device that is used through its server only, such as a device of another machine: the server launches the apps.
func (d *Driver) Attach(info device.Info) device.Device { return &lone{newPhone(d, info, true)} }
