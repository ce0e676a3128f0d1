package defaults

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// The keys that say which driver drives a device.
const (
	KeyDriver = "driver"
	KeyWDA    = "wdaUrl"
	KeyAppium = "appiumUrl"
	KeyIDB    = "idbUrl"
)

func driverKeys() []string { return []string{KeyDriver, KeyWDA, KeyAppium, KeyIDB} }

// servers are the keys of addresses, by the driver that works through a server there.
var servers = map[string]string{device.DriverWDA: KeyWDA, device.DriverAppium: KeyAppium, device.DriverIDB: KeyIDB}

// Wish is which driver is to drive a device, as far as anybody said so.
type Wish struct {
	Driver string            // empty: nobody said
	Why    string            // who said it
	At     map[string]string // addresses of servers, by driver
}

// Driver is the wish for a device. What the call says counts before the session's, then what the file says of this device, then the file's
// and the environment's. An address in a call says which driver is meant.
func (s *Store) Driver(call map[string]string, info device.Info) (Wish, error) {
	given, err := s.givenDriver(call)
	if err != nil {
		return Wish{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, of := s.effective(s.current()), s.config.ofDevice(info)
	find := func(key string) (text, why string) {
		if v := given[key]; v != "" {
			return v, "the call says so"
		}
		v, has := own[key]
		theirs, special := of.values[key]
		switch {
		case has && v.Source == FromSession:
			return v.Value.(string), "the session says so"
		case special:
			return theirs.Value.(string), "the project's file says so for this device"
		case !has:
			return "", ""
		case v.Source == FromEnv:
			return v.Value.(string), v.From + " says so"
		}
		return v.Value.(string), "the project's file says so"
	}
	w := Wish{At: map[string]string{}}
	w.Driver, w.Why = find(KeyDriver)
	for driver, key := range servers {
		w.At[driver], _ = find(key)
	}
	return w, nil
}

// givenDriver checks what a call says.
func (s *Store) givenDriver(call map[string]string) (map[string]string, error) {
	given := map[string]string{}
	for _, name := range driverKeys() {
		if blank(call[name]) {
			continue
		}
		k, _ := Lookup(name)
		v, err := s.normal(k, call[name])
		if err != nil {
			return nil, err
		}
		given[name] = v.(string)
	}
	if given[KeyDriver] != "" {
		return given, nil
	}
	named := ""
	for driver, key := range servers {
		switch {
		case given[key] == "":
		case named != "":
			return nil, fault.New(fault.InvalidInput, "two servers are given and no driver").With("field", KeyDriver).
				WithHint("say which one drives: `--driver`")
		default:
			named = driver
		}
	}
	if named != "" {
		given[KeyDriver] = named
	}
	return given, nil
}

// ofDevice is what the file says of one device: by its udid, else by its name.
func (c config) ofDevice(info device.Info) layer {
	for _, id := range append([]string{info.UDID}, info.Aliases...) {
		if l, has := c.devices[strings.ToLower(id)]; has {
			return l
		}
	}
	return c.devices[strings.ToLower(info.Name)]
}

// devices reads what the file says of single devices.
func (r *reader) devices() map[string]layer {
	all := map[string]layer{}
	named, _ := section(r.doc.Tree, keyDevices)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		l := r.layer(keyDevices, name)
		for key := range l.values {
			if !slices.Contains(driverKeys(), key) {
				r.warn([]string{keyDevices, name, key}, "%s is ignored: of a device there are only %s", key, strings.Join(driverKeys(), ", "))
				delete(l.values, key)
			}
		}
		all[strings.ToLower(name)] = l
	}
	return all
}

// address is the address of a server in one form. A password in it would be told in answers and logs.
func address(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err == nil && u.Scheme == socket && u.Host == "" && filepath.IsAbs(u.Path):
		return u.Scheme + "://" + filepath.Clean(u.Path), nil
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", fmt.Errorf("expected an address such as http://127.0.0.1:8100, got %.80q", text)
	case u.User != nil:
		return "", errors.New("an address with a user name or a password is not taken")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("expected an address without ? and #")
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// socket is the scheme of an address that is a socket's path.
const socket = "unix"

// OfThisMachine reports whether an address is the loopback's, or a socket's. What is typed on a device goes to the server at the address:
// a project that somebody cloned must not send it elsewhere.
func OfThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return cmp.Or(u.Scheme == socket, u.Hostname() == "localhost", ip != nil && ip.IsLoopback())
}
