package usbmux

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
)

// Driver finds the devices that usbmuxd knows. It is for what devicectl cannot do, and for where there is none: on Linux, and for
// devices before iOS 17.
type Driver struct {
	Mux *Mux
	// Parts are other abilities that a device has once it can be reached, such as those of an agent on it; nil: none.
	Parts func(device.Info) []device.Device
}

var _ device.Driver = (*Driver)(nil)

// Name is how messages call the driver.
func (d *Driver) Name() string { return "usbmux" }

// aboutWait is how long one device may take to tell what it is.
const aboutWait = 10 * time.Second

// List asks usbmuxd for its devices, and all devices at once what they are. Where no usbmuxd runs there are none. A device that does
// not answer is listed with what usbmuxd knows.
func (d *Driver) List(ctx context.Context) ([]device.Info, error) {
	found, err := d.Mux.Devices(ctx)
	var none *NoMuxError
	if errors.As(err, &none) {
		return []device.Info{}, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	infos := make([]device.Info, len(found))
	var all sync.WaitGroup
	for i, one := range found {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, aboutWait)
			defer cancel()
			about, err := d.Mux.about(ctx, one)
			infos[i] = info(about, err)
		})
	}
	all.Wait()
	return infos, ctx.Err()
}

// The words of CoreDevice for what a device tells in others.
const (
	wired        = "wired"
	localNetwork = "localNetwork"
	enabled      = "enabled"
	disabled     = "disabled"
)

// info describes a device. failed is why it could not be asked.
func info(a About, failed error) device.Info {
	h := &device.Hardware{Product: a.Product, Connection: localNetwork, Reach: device.ReachNetwork, Pairing: device.Paired}
	if a.Wired {
		h.Connection, h.Reach = wired, device.ReachWired
	}
	if a.DeveloperMode != nil && *a.DeveloperMode {
		h.DeveloperMode = enabled
	} else if a.DeveloperMode != nil {
		h.DeveloperMode = disabled
	}
	h.Platform = platform(a.Class)
	i := device.Info{
		UDID: a.UDID, Name: a.Name, Type: device.TypePhysical, Model: a.Product, Family: a.Class, State: device.Booted, Available: true,
		OS: strings.TrimSpace(h.Platform + " " + a.Version), Hardware: h,
	}
	if a.Serial != "" {
		i.Aliases = []string{a.Serial}
	}
	switch {
	case failed != nil:
		i.Available, h.Reach, h.Pairing = false, device.ReachUnavailable, ""
	case !a.Paired:
		i.Available, h.Reach, h.Pairing = false, device.ReachUnpaired, device.Unpaired
	}
	if !i.Available {
		i.State = strings.ToLower(h.Reach)
	}
	return i
}

// platform is the system of a class of devices.
func platform(class string) string {
	systems := map[string]string{"iPhone": "iOS", "iPad": "iOS", "iPod": "iOS", "AppleTV": "tvOS", "Watch": "watchOS"}
	return systems[class]
}

// Open gives a device; nothing is connected until it is used.
func (d *Driver) Open(info device.Info) device.Device {
	parts := []device.Device{&handset{driver: d, info: info}}
	if d.Parts != nil {
		parts = append(parts, d.Parts(info)...)
	}
	return device.Compose(parts...)
}

// handset is one device. It keeps nothing: every method connects.
type handset struct {
	driver *Driver
	info   device.Info
}

var (
	_ device.Device = (*handset)(nil)
	_ device.Logs   = (*handset)(nil)
)

// Info describes the device as it was when it was opened.
func (h *handset) Info() device.Info { return h.info }

// Driver names the driver.
func (h *handset) Driver() string { return h.driver.Name() }

// Close has nothing to end: a log belongs to whoever follows it.
func (h *handset) Close() error { return nil }
