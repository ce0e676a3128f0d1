package streams

import (
	"slices"

	"ios-agent/internal/device"
)

// Raise lowers the minimum level of an app's followed log for a session that asks for finer lines. With an empty udid it applies to
// every device where the session follows the app; with an empty app, to all apps that the session follows there. raised are the apps
// whose minimum level was lowered. captured reports whether lines of the level arrive from now on. Raise leaves the log of a whole
// device unchanged: its debug lines are a flood, and a second stream would bring lines twice.
func (m *Manager) Raise(owner device.Owner, app string, level device.LogLevel) (raised []string, captured bool) {
	m.mu.Lock()
	var coarse []*want
	for _, w := range m.wants {
		if w.asleep || !w.concerns(owner, app) {
			continue
		}
		finer := spec{udid: w.spec.udid, app: w.spec.app, all: w.spec.all, level: level}
		if m.hears(finer) {
			captured = true
		} else if !m.hears(spec{udid: finer.udid, all: true, level: device.LogDefault}) {
			coarse = append(coarse, w)
		}
	}
	m.mu.Unlock()
	for _, w := range coarse {
		of := device.Owner{Session: owner.Session, UDID: w.spec.udid}
		m.Follow(w.device, Request{Owner: of, App: w.spec.app, Level: level, On: w.on})
		if captured = true; !slices.Contains(raised, w.spec.app) {
			raised = append(raised, w.spec.app)
		}
	}
	return raised, captured
}

// concerns reports whether a want is about an app on a device; with an empty udid, about an app of the session on any device.
func (w *want) concerns(owner device.Owner, app string) bool {
	if owner.UDID == "" && w.owner.Session != owner.Session || owner.UDID != "" && w.spec.udid != owner.UDID {
		return false
	}
	return app == "" || w.spec.app == app || w.spec.all
}

// hears reports whether a running stream shows everything of a spec. It needs the mutex.
func (m *Manager) hears(s spec) bool {
	return slices.ContainsFunc(m.wants, func(w *want) bool { return !w.asleep && w.spec.covers(s) })
}
