package streams

import (
	"cmp"
	"slices"
	"strings"

	"ios-agent/internal/device"
)

// unheard is why lines are missing that were logged while nobody followed.
const unheard = "the log was not followed for a while"

// Return follows again what a session followed on a device before the daemon was restarted, or before another session had the device: the
// session works there again. What is missing is said.
func (m *Manager) Return(d device.Device, owner device.Owner) {
	m.mu.Lock()
	mine := m.newest(m.earlier, func(f followed) bool { return f.Device == owner.UDID && f.Session == owner.Session })
	m.mu.Unlock()
	m.again(d, Request{Owner: owner}, mine)
}

// Resume follows again what nobody hears of a device any more, whoever followed it, for a session that reads what was said. With an app
// it is that app; else what was followed last, and it gives its app. What is missing is said. Nothing begins for an app that nobody
// followed.
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

// Unheard lists the devices of which something was followed that nobody hears any more.
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

// Forget has a device that is not there any more be forgotten.
func (m *Manager) Forget(udid string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.forget(func(f followed) bool { return f.Device == udid }) {
		m.note()
	}
}

// again follows what was followed, and gives the app that was followed last.
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

// lapsed is what was followed and is heard no more: by sessions that are gone or idle, and by an earlier daemon. It needs the mutex.
func (m *Manager) lapsed() []followed {
	all := slices.Clone(m.earlier)
	for _, w := range m.wants {
		if w.asleep {
			all = append(all, w.followed())
		}
	}
	return slices.DeleteFunc(all, func(f followed) bool { return m.hears(f.spec()) })
}

// newest are those that fit, the last one first. It needs the mutex.
func (m *Manager) newest(all []followed, fits func(followed) bool) []followed {
	all = slices.DeleteFunc(slices.Clone(all), func(f followed) bool { return !m.young(f) || !fits(f) })
	slices.SortStableFunc(all, func(a, b followed) int { return b.At.Compare(a.At) })
	return all[:min(len(all), mostResumed)]
}

// young reports whether it was followed so lately that somebody may miss it.
func (m *Manager) young(f followed) bool { return m.o.Now().Sub(f.At) < oldConsole }
