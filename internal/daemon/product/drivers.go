package product

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/driver/xctest"
)

// Driver is a row of the table of drivers.
type Driver struct {
	device.DriverSpec
	// Lists makes the driver that finds devices by itself; nil: it drives only what others find.
	Lists func(finders) device.Driver
	// Chosen makes the driver of a device that another one found and for which it is chosen; nil: it drives only what it finds.
	Chosen func(Options) pool.Alternate
}

// Drivers is the table of drivers to choose from, in the order of the lists; the first one is the default. A new driver is a row here: all
// other texts and inputs about drivers derive from its row.
func Drivers() []Driver {
	return []Driver{
		{DriverSpec: xctest.Spec(), Lists: func(f finders) device.Driver { return f.simulators }},
		{DriverSpec: wda.Spec(), Chosen: func(o Options) pool.Alternate { return byWDA{o} }},
		{DriverSpec: appium.Spec(), Chosen: func(Options) pool.Alternate { return appium.New(appium.Options{}) }},
		{DriverSpec: idb.Spec(), Chosen: byIDB},
		{DriverSpec: devicectl.Spec(), Lists: func(f finders) device.Driver { return f.control }},
	}
}

// Keys are all keys of the configuration.
func Keys() config.Table { return keysOf(Drivers()) }

func keysOf(drivers []Driver) config.Table { return config.Keys(choice.Keys(specs(drivers))...) }

func specs(drivers []Driver) (all []device.DriverSpec) {
	for _, d := range drivers {
		all = append(all, d.DriverSpec)
	}
	return all
}

// finders are the parts that drivers which find devices share.
type finders struct {
	Options
	simulators *xctest.Driver
	control    *devicectl.Driver
}

// openDrivers are the drivers that find devices. A physical device combines devicectl, usbmuxd and ios-agent's agent.
func openDrivers(o Options, simulators *xctest.Driver) (all []device.Driver) {
	control := devicectl.New(devicectl.Options{Host: o.Host, Tools: o.Tools})
	for _, d := range o.Drivers {
		if d.Lists != nil {
			all = append(all, d.Lists(finders{o, simulators, control}))
		}
	}
	if o.Usbmux != nil {
		mux := &usbmux.Mux{Connect: o.Usbmux}
		hands := &xctest.Physical{Agents: simulators, Team: o.Team, Dial: mux.Dial, Running: control.Running,
			Terminate: control.Terminate, Ready: mux.Ready, Wired: mux.Wired}
		all = append(all, &usbmux.Driver{Mux: mux, Parts: func(i device.Info) []device.Device { return []device.Device{hands.Open(i)} }})
	}
	if o.WDA.Any() { // before the others: what it can do, it does
		o.WDA.Host, o.WDA.Tools = o.Host, o.Tools
		all = slices.Insert(all, 0, device.Driver(wda.New(o.WDA)))
	}
	return all
}

// alternates are the drivers that can be chosen for a device that another one lists.
func alternates(o Options) (all []pool.Alternate) {
	for _, d := range o.Drivers {
		if d.Chosen != nil {
			all = append(all, d.Chosen(o))
		}
	}
	return all
}

// byIDB has simulators driven by idb_companion: at an address, or started for each simulator.
func byIDB(o Options) pool.Alternate {
	o.IDB.Host, o.IDB.Tools, o.IDB.Logs = o.Host, o.Tools, filepath.Join(o.Home.String(), idb.Spec().Name, "logs")
	return idb.New(o.IDB)
}

// byWDA has devices driven by WebDriverAgent: at an address, started on a simulator, or through usbmuxd.
type byWDA struct{ o Options }

func (byWDA) Spec() device.DriverSpec { return wda.Spec() }

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
		return "", &device.UnreachableError{Driver: wda.Spec(), At: c.URL(), Cause: err}
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
	o.Start = &wda.Start{UDIDs: []string{info.UDID}, Products: b.o.WDAProducts, Dir: filepath.Join(b.o.Home.String(), wda.Spec().Name)}
	if info.Type == device.TypePhysical && b.o.Usbmux != nil {
		mux := &usbmux.Mux{Connect: b.o.Usbmux}
		o.Dial, o.Ready = mux.Dial, mux.Ready
	}
	return wda.New(o).Open(info)
}
