package streams

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/device"
)

// unheard is the reason for lines missing from a time without a stream.
const unheard = "the log was not followed for a while"

// Return follows again the logs that a session followed on a device before a restart of the daemon, or before another session had the
// device. A gap becomes an entry.
func (m *Manager) Return(d device.Device, owner device.Owner) {
	m.mu.Lock()
	mine := m.newest(m.earlier, func(f followed) bool { return f.Device == owner.UDID && f.Session == owner.Session })
	m.mu.Unlock()
	m.again(d, Request{Owner: owner}, mine)
}

// Resume follows again the logs of a device that no stream follows any more, for a session that reads them. It resumes the requested
// app, or else the log that was followed last, and returns its app. A gap becomes an entry. An app that was never followed starts no
// stream.
func (m *Manager) Resume(d device.Device, r Request) (app string) {
	m.mu.Lock()
	last := m.newest(m.lapsed(), func(f followed) bool { return f.Device == r.Owner.UDID && (r.App == "" || f.App == r.App) })
	m.mu.Unlock()
	app = m.again(d, r, last)
	if len(last) == 0 && r.App != "" && m.resumePrinted(r.Owner, r.App) {
		m.Follow(d, r)
	}
	return cmp.Or(r.App, app)
}

// Unheard lists the devices with an interrupted log.
func (m *Manager) Unheard() (udids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.lapsed() {
		if m.young(f) && !slices.Contains(udids, f.Device) {
			udids = append(udids, f.Device)
		}
	}
	return udids
}

// Forget drops the notes of a removed device.
func (m *Manager) Forget(udid string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.forget(func(f followed) bool { return f.Device == udid }) {
		m.note()
	}
}

// again follows noted logs again, and returns the app that was followed last.
func (m *Manager) again(d device.Device, r Request, all []followed) (app string) {
	for _, f := range all {
		app = cmp.Or(app, f.App)
		again := r
		again.lacks.why = unheard
		again.App, again.All, again.Level, again.Subsystems = f.App, f.All, f.Level, strings.Fields(f.Subsystems)
		if f.App != "" {
			m.resumePrinted(r.Owner, f.App)
		}
		m.Follow(d, again)
	}
	return app
}

// lapsed are the logs that lost their stream: their sessions ended or idle, or they belonged to an earlier daemon. It needs the mutex.
func (m *Manager) lapsed() []followed {
	all := slices.Clone(m.earlier)
	for _, w := range m.wants {
		if w.asleep {
			all = append(all, w.followed())
		}
	}
	return slices.DeleteFunc(all, func(f followed) bool { return m.hears(f.spec()) })
}

// newest are the matching logs, the latest first. It needs the mutex.
func (m *Manager) newest(all []followed, fits func(followed) bool) []followed {
	all = slices.DeleteFunc(slices.Clone(all), func(f followed) bool { return !m.young(f) || !fits(f) })
	slices.SortStableFunc(all, func(a, b followed) int { return b.At.Compare(a.At) })
	return all[:min(len(all), mostResumed)]
}

// young reports whether a log was followed recently enough that a reader may miss its lines.
func (m *Manager) young(f followed) bool { return m.o.Now().Sub(f.At) < oldConsole }
