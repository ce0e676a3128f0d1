package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// KeyDriver is the key that says what drives devices. Its values, and the keys of servers beside it, are made of the table of drivers.
const KeyDriver = "driver"

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
