package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"ios-agent/internal/hint"
)

// KeyDriver is the key that chooses the driver of devices. The table of drivers gives its values, and a key for the address of each server.
const KeyDriver = "driver"

// elsewhere says why a project's file cannot set the key, and how else the user can set it.
func (k Key) elsewhere() string {
	return fmt.Sprintf("a project's file cannot choose what drives a device; set it for a session with %s, or in a client's environment as %s",
		hint.Do("session_set_defaults", k.Name, upperSnake(k.Name)), k.Variables()[0])
}

// address normalises the address of a server. It refuses an address with a password, because answers and logs would show the password.
func address(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err == nil && u.Scheme == socket && u.Host == "" && filepath.IsAbs(u.Path):
		return u.Scheme + "://" + filepath.Clean(u.Path), nil
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", fmt.Errorf("expected an address such as http://127.0.0.1:8100, got %.80q", text)
	case u.User != nil:
		return "", errors.New("an address must not have a user name or a password")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("expected an address without ? and #")
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// socket is the scheme of an address that names the path of a unix socket.
const socket = "unix"

// OfThisMachine reports whether an address is a loopback address or a socket. It matters because the server at the address receives the
// text that is typed on a device.
func OfThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return cmp.Or(u.Scheme == socket, u.Hostname() == "localhost", ip != nil && ip.IsLoopback())
}
