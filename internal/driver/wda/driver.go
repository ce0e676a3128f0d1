// Package wda drives a device through WebDriverAgent: one that runs already and is reached by its URL, or through a forwarded port, or
// one that we start on a simulator. It makes lost sessions anew and never sends an input twice.
//
// WebDriverAgent cannot check at the moment of a touch what lies under the finger: a step looks before and after (device/act). What it
// does not tell, such as a banner over the app, is not known here.
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

// Options say where WebDriverAgent is. Without any the driver knows no device.
type Options struct {
	// URL is the server of a device that no other driver lists: it is listed under an id made of the address.
	URL string
	// URLs are the servers of devices that others list too, by their udid. Apps, files and power stay with those.
	URLs map[string]string
	// Dial connects to a port of a device instead of the host of its URL, as usbmuxd does. With it a physical device needs no URL: its
	// server is where WebDriverAgent usually listens. It may be nil.
	Dial func(ctx context.Context, udid string, port int) (net.Conn, error)
	// Ready says what stands between this computer and a physical device, as a fault; nil: nothing is known to. failed is why there is no
	// server. It is needed with Dial and a physical device.
	Ready func(ctx context.Context, udid string, failed error) error
	// Start says how a server is started on devices that have no URL; nil: none is.
	Start *Start
	Host  *host.Host      // runs the tools that start a server; needed with Start
	Tools apple.Toolchain // likewise

	Clock device.Clock
}

// Any reports whether they name a device.
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

// Spec is the driver's row of the table of drivers. No address is usual: without one a server is started, or asked through usbmuxd.
func Spec() device.DriverSpec {
	return device.DriverSpec{
		Name: "wda", Drives: []string{device.TypeSimulator, device.TypePhysical}, Server: "WebDriverAgent", At: "http://127.0.0.1:8100",
		Start: "start WebDriverAgent",
	}
}

// Name is how messages call the driver.
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

// List names the devices that were named to us. The one that nobody else lists is asked what it is; that it does not answer is an error
// only where it is the only one.
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

// listWait is how long a server may take to say what it is.
const listWait = 5 * time.Second

// describe asks the server of a device that nobody else lists what it is.
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
	if err == nil { // older versions do not know it
		info.Name, info.Model = cmp.Or(about.Name, info.Name), about.Model
	}
	return info, nil
}

// address is the URL of a device's server; empty when it has none.
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

// portOf is the port of an address; 0: it has none.
func portOf(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(u.Port())
	return port
}

// Open gives a device; nothing is sent until it is used. One that only its server knows can also launch apps.
func (d *Driver) Open(info device.Info) device.Device {
	if strings.HasPrefix(info.UDID, alone) {
		return d.Attach(info)
	}
	return newPhone(d, info, false)
}

// Attach is Open for a device on which nothing but its server is to be used, such as one of another machine: it launches apps through it.
func (d *Driver) Attach(info device.Info) device.Device { return &lone{newPhone(d, info, true)} }
