package usbmux

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
)

// Driver finds the devices that usbmuxd knows. It is for things that devicectl cannot do, and for machines and devices without
// devicectl: Linux, and iOS before 17.
type Driver struct {
	Mux *Mux
	// Parts are other abilities of a reachable device, such as an agent's; nil: none.
	Parts func(device.Info) []device.Device
}

var _ device.Driver = (*Driver)(nil)

// Name is the driver's name in messages.
func (d *Driver) Name() string { return "usbmux" }

// aboutWait is how long one device may take to describe itself.
const aboutWait = 10 * time.Second

// List asks usbmuxd for its devices, and all devices at once for a description. Without usbmuxd the list is empty. A device that does
// not answer is listed with usbmuxd's facts only.
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

// CoreDevice's words for facts that the device reports in other words.
const (
	wired        = "wired"
	localNetwork = "localNetwork"
	enabled      = "enabled"
	disabled     = "disabled"
)

// info describes a device. failed is why the device could not describe itself.
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

// platform is the operating system of a device class.
func platform(class string) string {
	systems := map[string]string{"iPhone": "iOS", "iPad": "iOS", "iPod": "iOS", "AppleTV": "tvOS", "Watch": "watchOS"}
	return systems[class]
}

// Open returns a device without connecting to it.
func (d *Driver) Open(info device.Info) device.Device {
	parts := []device.Device{&handset{driver: d, info: info}}
	if d.Parts != nil {
		parts = append(parts, d.Parts(info)...)
	}
	return device.Compose(parts...)
}

// handset is one device. It has no state: every method connects.
type handset struct {
	driver *Driver
	info   device.Info
}

var (
	_ device.Device = (*handset)(nil)
	_ device.Logs   = (*handset)(nil)
)

// Info describes the device at the time it was opened.
func (h *handset) Info() device.Info { return h.info }

// Driver is the driver's name.
func (h *handset) Driver() string { return h.driver.Name() }

// Close has nothing to end: the caller that follows a log owns it.
func (h *handset) Close() error { return nil }
