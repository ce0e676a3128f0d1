package session

import (
	"maps"
	"slices"
	"sync"
)

// drivers know in which order sessions drove devices and were shown their screens. The zero value is ready.
type drivers struct {
	mu    sync.Mutex
	clock int
	drove map[string]map[string]int // by device and session: when it drove last
	shown map[string]map[string]int // by device and session: when it was shown the screen last
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

// forget drops what is known of a session.
func (d *drivers) forget(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, in := range []map[string]map[string]int{d.drove, d.shown} {
		for _, sessions := range in {
			delete(sessions, session)
		}
	}
}

// Drove notes that the session drives a device now.
func (s *Session) Drove(udid string) { s.drivers.note(&s.drivers.drove, udid, s.Name) }

// Showed notes that the session is shown the screen of a device now.
func (s *Session) Showed(udid string) { s.drivers.note(&s.drivers.shown, udid, s.Name) }

// DroveSince are the other sessions that drove a device since this one was shown its screen.
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
