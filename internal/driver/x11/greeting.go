// Package x11 implements the parts of the X protocol that need no connection. It has the address and the authority file of a display, the
// first message of a client (Authorized), the keys for characters (Keyboard) and the memory format of pixels (Format). driver/atspi uses it
// and opens the connections; this package must not.
package x11

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/machine/regularfile"
)

const (
	mostAuthority = 1 << 20
	cookieName    = "MIT-MAGIC-COOKIE-1"
	familyLocal   = 256
	familyWild    = 65535
)

// CookieOf reads the cookie of a display from its authority file; nil if it has none, which many servers accept.
func CookieOf(file, host, number string) []byte {
	raw, err := regularfile.Read(file, mostAuthority)
	if err != nil {
		return nil
	}
	if host == "" || host == "localhost" {
		host, _ = os.Hostname()
	}
	return CookieIn(raw, host, number)
}

// CookieIn reads entries of a family and four counted texts: address, number of the display, name, data.
func CookieIn(raw []byte, host, number string) []byte {
	for len(raw) > 2 {
		family := binary.BigEndian.Uint16(raw)
		raw = raw[2:]
		var fields [4][]byte
		for i := range fields {
			if len(raw) < 2 {
				return nil
			}
			n := int(binary.BigEndian.Uint16(raw))
			if len(raw) < 2+n {
				return nil
			}
			fields[i], raw = raw[2:2+n], raw[2+n:]
		}
		here := family == familyWild || family == familyLocal && string(fields[0]) == host
		if here && (len(fields[1]) == 0 || string(fields[1]) == number) && string(fields[2]) == cookieName && len(fields[3]) == 16 {
			return slices.Clone(fields[3])
		}
	}
	return nil
}

// Authorized wraps a connection and sends the greeting itself: the library would read the cookie from the daemon's environment instead
// of the driven process's.
type Authorized struct {
	net.Conn
	Cookie []byte
	spoken bool
}

func (c *Authorized) Write(b []byte) (int, error) {
	if c.spoken {
		return c.Conn.Write(b)
	}
	c.spoken = true
	if _, err := c.Conn.Write(greeting(c.Cookie)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// greeting is the first message of an X client, in little-endian numbers.
func greeting(cookie []byte) []byte {
	name := cookieName
	if cookie == nil {
		name = ""
	}
	pad := func(n int) int { return (n + 3) &^ 3 }
	b := make([]byte, 12+pad(len(name))+pad(len(cookie)))
	b[0] = 'l'
	binary.LittleEndian.PutUint16(b[2:], 11)
	binary.LittleEndian.PutUint16(b[6:], uint16(len(name)))
	binary.LittleEndian.PutUint16(b[8:], uint16(len(cookie)))
	copy(b[12:], name)
	copy(b[12+pad(len(name)):], cookie)
	return b
}

// Address is the address of a DISPLAY's server: network, address, host, number.
func Address(name string) (network, at, host, number string, err error) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return "", "", "", "", fmt.Errorf("invalid display name %q", name)
	}
	host, number = name[:i], name[i+1:]
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n > 59535 {
		return "", "", "", "", fmt.Errorf("invalid display name %q", name)
	}
	host = strings.TrimPrefix(host, "tcp/")
	switch {
	case host == "" || host == "unix":
		return "unix", "/tmp/.X11-unix/X" + number, "", number, nil
	case host[0] == '/':
		return "unix", host + ":" + number, "", number, nil
	}
	return "tcp", net.JoinHostPort(host, strconv.FormatUint(6000+n, 10)), host, number, nil
}
