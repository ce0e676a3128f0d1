package fakedevice

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// Reach leads to devices that one driver lists, under leases of an hour.
func Reach(t testing.TB, devices ...device.Device) access.Access {
	return Over(t, pool.Options{Drivers: []device.Driver{&Driver{Named: Usual, Devices: devices}}})
}

// Free is Reach without leases: every session may use every device.
func Free(t testing.TB, devices ...device.Device) access.Access {
	return over(t, pool.Options{Drivers: []device.Driver{&Driver{Named: Usual, Devices: devices}}})
}

// Over leads to the devices of a pool, under leases of an hour unless the options say otherwise.
func Over(t testing.TB, o pool.Options) access.Access {
	o.Implicit = cmp.Or(o.Implicit, time.Hour)
	return over(t, o)
}

// over leads to the devices of a pool, which is closed when the test ends.
func over(t testing.TB, o pool.Options) access.Access {
	dir, p := t.TempDir(), pool.New(o)
	store := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db")})
	said := streams.New(streams.Options{Store: store, Dir: filepath.Join(dir, "said")})
	t.Cleanup(func() {
		if err := errors.Join(said.Close(), store.Close(), p.Close()); err != nil {
			t.Errorf("closing: got %v, want nothing", err)
		}
	})
	drivers := Drivers(o.Alternates...)
	return access.Access{
		Pool: p, Sessions: session.NewStore(session.Options{Keys: config.Keys(choice.Keys(drivers)...)}), Said: said,
		Programs: process.New(process.Options{}), Getenv: func(string) string { return "" }, Drivers: drivers,
	}
}

// Drivers is a table of drivers: the usual one, drivers of servers (one of them reads web views), and a driver without eyes. An alternate
// itself says what its row contains.
func Drivers(alternates ...pool.Alternate) []device.DriverSpec {
	all := []device.DriverSpec{{Name: Usual}, Server("wda"), Server("appium"), Server("idb"), {Name: "devicectl"}}
	for _, a := range alternates {
		i := slices.IndexFunc(all, func(s device.DriverSpec) bool { return s.Name == a.Spec().Name })
		all[i] = a.Spec()
	}
	return all
}

// Server is a driver that works through a server.
func Server(name string) device.DriverSpec {
	return device.DriverSpec{
		Name: name, Drives: []string{device.TypeSimulator, device.TypePhysical}, Server: "a server of " + name, At: "http://127.0.0.1:8100",
		Start: "start it", Webs: name == "appium",
	}
}
