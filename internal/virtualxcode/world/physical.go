package world

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Physical is a physical device that is paired with the Mac. By UDID it supports everything that a booted simulator supports. It is
// always on, and lists of simulators do not contain it.
type Physical struct {
	Device
	Hardware
	Locked bool // the owner has not entered the passcode, so launches fail
}

// Hardware are the constant properties of a physical device.
type Hardware struct {
	Identifier string // CoreDevice's identifier
	ECID       uint64
	Serial     string
	Board      string // such as "D93AP"
	Storage    int64  // in bytes
	Build      string // of its system
	Wired      bool   // attached by cable; otherwise over the network, with a tunnel only on demand
	Families   []int
	Paired     time.Time // when it was last connected
}

// ErrLocked means that the device must be unlocked first.
var ErrLocked = errors.New("device locked")

// owned is a physical device of a new world.
type owned struct {
	made
	Hardware
	locked bool
}

// ownedDevices are a device that is ready to use and a locked device. They have the chips and board ids of the real models; the second
// part of a UDID is the ECID, as on real devices.
func ownedDevices() []owned {
	of := func(udid, name, deviceType string, h Hardware, locked bool) owned {
		h.ECID, _ = strconv.ParseUint(udid[len(udid)-16:], 16, 64) // defined here
		return owned{made{udid, name, typePrefix + deviceType, runtimePrefix + "iOS-18-5"}, h, locked}
	}
	return []owned{
		of("00008140-000A61C23E04801C", "Ada’s iPhone", "iPhone-16-Pro", Hardware{
			Identifier: "5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35", Serial: "F2LX7Q9V0D", Board: "D93AP", Storage: 256_000_000_000,
			Build: "22F76",
			Wired: true, Families: []int{1}, Paired: time.Date(2025, 6, 2, 9, 14, 7, 482e6, time.UTC),
		}, false),
		of("00008130-001474A90C82001C", "Grace’s iPad", "iPad-mini-A17-Pro", Hardware{
			Identifier: "C7D1A2F4-3E58-5C90-8B16-E92F0A7D4B63", Serial: "K4M2T8WN6P", Board: "J410AP", Storage: 128_000_000_000,
			Build:    "22F76",
			Families: []int{1, 2}, Paired: time.Date(2025, 5, 28, 17, 40, 51, 96e6, time.UTC),
		}, true),
	}
}

const physicalPrefix = "physical-"

// newPhysical makes the devices of hardware. Their numbers are negative, so that their pids differ from the pids of simulators.
func (w *World) newPhysical() {
	all := ownedDevices()
	for i, o := range all {
		d := w.newDevice(o.made, i-len(all))
		d.hardware, d.On, d.Locked = &o.Hardware, true, o.locked
		w.physical = append(w.physical, d)
	}
}

// Physicals lists the physical devices.
func (w *World) Physicals() []Physical {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	out := make([]Physical, len(w.physical))
	for i, d := range w.physical {
		out[i] = Physical{Device: w.describe(d, now), Hardware: *d.hardware, Locked: d.Locked}
	}
	return out
}

// FindPhysical finds a physical device by CoreDevice's selectors: identifier, UDID, ECID, serial number, name, or network name.
func (w *World) FindPhysical(name string) (Physical, error) {
	for _, p := range w.Physicals() {
		for _, alias := range append([]string{p.Identifier, p.UDID, fmt.Sprint(p.ECID), p.Serial, p.Name}, p.Hostnames()...) {
			if strings.EqualFold(alias, name) {
				return p, nil
			}
		}
	}
	return Physical{}, invalidDevice(name)
}

// Hostnames are the device's network names: by its own name, by UDID and by identifier.
func (p Physical) Hostnames() []string {
	const domain = ".coredevice.local"
	own := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, p.Name)
	return []string{own + domain, p.UDID + domain, p.Identifier + domain}
}

// SetLocked locks or unlocks a physical device, as its owner does.
func (w *World) SetLocked(udid string, locked bool) error {
	return w.actNow(context.Background(), udid, func(d *device, _ time.Time) error {
		if d.hardware == nil {
			return invalidDevice(udid)
		}
		d.Locked = locked
		return nil
	})
}

// lockedOut is the error of a launch on a locked device.
func lockedOut(bundle string) error {
	reason := fmt.Sprintf("Unable to launch %s because the device was not, or could not be, unlocked", bundle)
	return &Error{Domain: openAppDomain, Code: 1, kind: ErrLocked,
		Message: fmt.Sprintf("The request to open %q failed.\nThe request was denied by service delegate (SBMainWorkspace) for reason: "+
			"Locked (%q).", bundle, reason),
		Underlying: &Error{Domain: "FBSOpenApplicationErrorDomain", Code: 7,
			Message: fmt.Sprintf("The operation couldn’t be completed. %s.\n%s.", reason, reason)}}
}
