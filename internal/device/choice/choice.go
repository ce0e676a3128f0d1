// Package choice works out which driver looks at a device and touches it. Of gives the Wish for a device: the call, the session or the
// environment may name a driver and its server. Keys derives the configuration keys from the table of drivers. The package never opens a
// device.
package choice

import (
	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// driver is the configuration key of the driver's name.
func driver(drivers []device.DriverSpec) config.Key {
	return config.Key{Name: config.KeyDriver, Ours: true, Personal: true, Kind: config.Choice, Choices: names(drivers),
		Doc: "what looks at devices and touches them"}
}

// DriverVariable is the environment variable that names a driver.
func DriverVariable() string { return driver(nil).Variables()[0] }

// Keys are the configuration keys that choose a driver: its name, and the address of each server.
func Keys(drivers []device.DriverSpec) []config.Key {
	keys := []config.Key{driver(drivers)}
	for _, d := range drivers {
		if d.Server != "" {
			keys = append(keys, address(d))
		}
	}
	return keys
}

func names(drivers []device.DriverSpec) (names []string) {
	for _, d := range drivers {
		names = append(names, d.Name)
	}
	return names
}

// address is the configuration key of a server's address.
func address(d device.DriverSpec) config.Key {
	return config.Key{Name: d.URLKey(), Ours: true, Personal: true, Kind: config.Text, URL: true,
		Doc: "where " + d.Server + " listens, such as " + d.At}
}

// Variable is the environment variable that names a driver's server.
func Variable(d device.DriverSpec) string { return address(d).Variables()[0] }

// Wish is the choice of a driver for a device.
type Wish struct {
	Driver string            // empty: none chosen
	Why    string            // source of the choice
	At     map[string]string // addresses of servers, by driver
}

// Of is the wish for a device. The call counts first, then the session, then the environment. A server address in a call also chooses
// its driver.
func Of(drivers []device.DriverSpec, store *config.Store, call map[string]string) (Wish, error) {
	given, err := read(drivers, store, call)
	if err != nil {
		return Wish{}, err
	}
	own := store.Values()
	find := func(key string) (text, why string) {
		if v := given[key]; v != "" {
			return v, "the call says so"
		}
		v, has := own[key]
		switch {
		case !has:
			return "", ""
		case v.Source == config.FromSession:
			return v.Value.(string), "the session says so"
		}
		return v.Value.(string), v.From + " says so"
	}
	w := Wish{At: map[string]string{}}
	w.Driver, w.Why = find(config.KeyDriver)
	for _, d := range drivers {
		if at, _ := find(d.URLKey()); at != "" {
			w.At[d.Name] = at
		}
	}
	return w, nil
}

// read checks the inputs of a call.
func read(drivers []device.DriverSpec, store *config.Store, call map[string]string) (given map[string]string, err error) {
	given = map[string]string{}
	for _, k := range Keys(drivers) {
		if given[k.Name], err = store.Text(k.Name, call[k.Name]); err != nil {
			return nil, err
		}
	}
	if given[config.KeyDriver] != "" {
		return given, nil
	}
	for _, d := range drivers {
		switch {
		case given[d.URLKey()] == "":
		case given[config.KeyDriver] != "":
			return nil, fault.New(fault.InvalidInput, "two server addresses are given, but no driver").With("field", config.KeyDriver).
				WithHint("name the driver with %s", hint.Field(config.KeyDriver))
		default:
			given[config.KeyDriver] = d.Name
		}
	}
	return given, nil
}
