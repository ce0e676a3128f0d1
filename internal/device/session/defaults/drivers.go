package defaults

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
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

// Driver is the wish for a device. What the call says counts before the session's, then the environment's. An address in a call says which
// driver is meant.
func (s *Store) Driver(call map[string]string) (Wish, error) {
	given, err := s.givenDriver(call)
	if err != nil {
		return Wish{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.effective(s.current())
	find := func(key string) (text, why string) {
		if v := given[key]; v != "" {
			return v, "the call says so"
		}
		v, has := own[key]
		switch {
		case !has:
			return "", ""
		case v.Source == FromSession:
			return v.Value.(string), "the session says so"
		}
		return v.Value.(string), v.From + " says so"
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

// elsewhere says why a project's file does not give the key, and how a person does.
func (k Key) elsewhere() string {
	flag := strings.ReplaceAll(strings.ToLower(upperSnake(k.Name)), "_", "-")
	return fmt.Sprintf("a project's file cannot choose what drives a device; `ios-agent session-set-defaults --%s %s` does for this session, "+
		"and %s in the environment of the client", flag, upperSnake(k.Name), k.Variables()[0])
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

// OfThisMachine reports whether an address is the loopback's, or a socket's. What is typed on a device goes to the server at the address.
func OfThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return cmp.Or(u.Scheme == socket, u.Hostname() == "localhost", ip != nil && ip.IsLoopback())
}
