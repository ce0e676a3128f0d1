package session

import (
	"maps"
	"slices"
	"sync"
)

// drivers records the order in which sessions drove devices and were shown their screens. The zero value is ready.
type drivers struct {
	mu    sync.Mutex
	clock int
	drove map[string]map[string]int // by device and session: number of its last drive
	shown map[string]map[string]int // by device and session: number of its last look
}

func (d *drivers) note(in *map[string]map[string]int, device, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if *in == nil {
		*in = map[string]map[string]int{}
	}
	if (*in)[device] == nil {
		(*in)[device] = map[string]int{}
	}
	d.clock++
	(*in)[device][session] = d.clock
}

// forget drops the records of a session.
func (d *drivers) forget(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, in := range []map[string]map[string]int{d.drove, d.shown} {
		for _, sessions := range in {
			delete(sessions, session)
		}
	}
}

// Drove records that the session drives a device now.
func (s *Session) Drove(udid string) { s.drivers.note(&s.drivers.drove, udid, s.Name) }

// Showed records that the session is shown the screen of a device now.
func (s *Session) Showed(udid string) { s.drivers.note(&s.drivers.shown, udid, s.Name) }

// DroveSince are the other sessions that drove a device since this session saw its screen.
func (s *Session) DroveSince(udid string) []string {
	d := s.drivers
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.drove[udid])) {
		if name != s.Name && d.drove[udid][name] > d.shown[udid][s.Name] {
			names = append(names, name)
		}
	}
	return names
}
