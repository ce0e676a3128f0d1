package product

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/driver/xctest"
)

// openDrivers are those of all devices. A physical device is made of what devicectl can do, what goes through usbmuxd, and our agent.
func openDrivers(o Options, simulators *xctest.Driver) []device.Driver {
	control := devicectl.New(devicectl.Options{Host: o.Host, Tools: o.Tools})
	all := []device.Driver{simulators, control}
	if o.Usbmux != nil {
		mux := &usbmux.Mux{Connect: o.Usbmux}
		hands := &xctest.Physical{Agents: simulators, Team: o.Team, Dial: mux.Dial, Running: control.Running,
			Terminate: control.Terminate, Ready: mux.Ready}
		all = append(all, &usbmux.Driver{Mux: mux, Parts: func(i device.Info) []device.Device { return []device.Device{hands.Open(i)} }})
	}
	if o.WDA.Any() { // before the others: what it can do, it does
		o.WDA.Host, o.WDA.Tools = o.Host, o.Tools
		all = slices.Insert(all, 0, device.Driver(wda.New(o.WDA)))
	}
	return all
}

// alternates are the drivers that can be chosen for a device that another one lists. One that the options have takes the place of ours.
func alternates(o Options) []pool.Alternate {
	all := slices.Clone(o.Alternates)
	for _, own := range []pool.Alternate{byWDA{o}, appium.New(appium.Options{}), byIDB(o)} {
		if !slices.ContainsFunc(all, func(a pool.Alternate) bool { return a.Name() == own.Name() }) {
			all = append(all, own)
		}
	}
	return all
}

// byIDB has simulators driven by idb_companion: at an address, or by one that is started for each.
func byIDB(o Options) *idb.Driver {
	o.IDB.Host, o.IDB.Tools, o.IDB.Logs = o.Host, o.Tools, filepath.Join(o.Home.String(), "idb", "logs")
	return idb.New(o.IDB)
}

// byWDA has devices driven by WebDriverAgent: at an address, by one that is started on a simulator, or through usbmuxd.
type byWDA struct{ o Options }

func (byWDA) Name() string { return device.DriverWDA }

func (byWDA) Usual() string { return "" }

// Probe asks the server what it is.
func (byWDA) Probe(ctx context.Context, at string) (string, error) {
	if at == "" {
		return "on a simulator it is started when it is needed; a physical device is asked through usbmuxd", nil
	}
	c, err := webdriver.New(webdriver.Options{URL: at})
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx)
	if err == nil && !s.Ready {
		err = fmt.Errorf("it is not ready: %s", s.Message)
	}
	if err != nil {
		return "", &device.UnreachableError{Driver: device.DriverWDA, At: c.URL(), Cause: err}
	}
	return strings.TrimSpace(fmt.Sprintf("WebDriverAgent %s answers at %s", s.Build, c.URL())), nil
}

// Open does no I/O.
func (b byWDA) Open(info device.Info, at string) device.Device {
	o := wda.Options{Host: b.o.Host, Tools: b.o.Tools, Clock: b.o.WDA.Clock}
	if at != "" {
		o.URLs = map[string]string{info.UDID: at}
		return wda.New(o).Open(info)
	}
	o.Start = &wda.Start{UDIDs: []string{info.UDID}, Products: b.o.WDAProducts, Dir: filepath.Join(b.o.Home.String(), "wda")}
	if info.Type == device.TypePhysical && b.o.Usbmux != nil {
		mux := &usbmux.Mux{Connect: b.o.Usbmux}
		o.Dial, o.Ready = mux.Dial, mux.Ready
	}
	return wda.New(o).Open(info)
}
