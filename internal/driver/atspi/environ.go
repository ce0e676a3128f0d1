package atspi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/machine/regularfile"
)

// environ is the source of a program's display and buses.
type environ struct {
	get   func(string) string // the program's own environment
	other func(string) string // replaces missing values; nil: none
}

// place is a display and its buses. A missing value is empty.
type place struct {
	display, authority, wayland string
	session                     string // the session bus
	access                      string // the accessibility bus, if the environment names it
	other                       string // another session bus that may know the address
}

const mostEnviron = 1 << 20

// environOf reads the environment with which a process was started; the daemon's fills in missing values.
func environOf(pid int, daemon func(string) string) environ {
	raw, err := regularfile.Read(fmt.Sprintf("/proc/%d/environ", pid), mostEnviron)
	for range 20 { // the kernel returns an empty one just after the start of a process
		if err != nil || len(raw) > 0 {
			break
		}
		<-time.After(5 * time.Millisecond)
		raw, err = regularfile.Read(fmt.Sprintf("/proc/%d/environ", pid), mostEnviron)
	}
	if err != nil || len(raw) == 0 {
		return environ{get: daemon}
	}
	own := parseEnviron(raw)
	return environ{get: func(name string) string { return own[name] }, other: daemon}
}

// parseEnviron reads NAME=value entries that end with a zero. The first value of a name counts, as in getenv.
func parseEnviron(raw []byte) map[string]string {
	all := map[string]string{}
	for pair := range bytes.SplitSeq(raw, []byte{0}) {
		name, value, is := bytes.Cut(pair, []byte{'='})
		if _, twice := all[string(name)]; is && len(name) > 0 && !twice {
			all[string(name)] = string(value)
		}
	}
	return all
}

// place takes the display with its authority from one environment, and each bus likewise.
func (e environ) place() place {
	p := displayIn(e.get)
	p.session, p.access = sessionIn(e.get), e.get("AT_SPI_BUS_ADDRESS")
	if e.other == nil {
		return p
	}
	if p.display == "" && p.wayland == "" {
		more := displayIn(e.other)
		p.display, p.authority, p.wayland = more.display, more.authority, more.wayland
	}
	if p.session == "" {
		p.other = sessionIn(e.other)
	}
	return p
}

func displayIn(get func(string) string) place {
	p := place{display: get("DISPLAY"), authority: get("XAUTHORITY"), wayland: get("WAYLAND_DISPLAY")}
	if home := get("HOME"); p.authority == "" && home != "" {
		p.authority = filepath.Join(home, ".Xauthority")
	}
	return p
}

// sessionIn is the session bus in an environment, or the bus at its usual path.
func sessionIn(get func(string) string) string {
	if address := get("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address
	}
	if dir := get("XDG_RUNTIME_DIR"); dir != "" {
		path := filepath.Join(dir, "bus")
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			return "unix:path=" + dbus.EscapeBusAddressValue(path)
		}
	}
	return ""
}
