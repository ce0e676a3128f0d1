package streams

import (
	"slices"

	"ios-agent/internal/device"
)

// Raise has the log of an app be followed at a finer level, for a session that asks for lines of that level: on the owner's device, or with
// an empty udid where the session follows it; with an empty app of all that are followed there. Raised are the apps whose log was followed
// at a coarser level until now. Captured reports whether lines of that level come in from now on. Where a whole device is followed nothing
// is raised: its debug lines are a flood, and a second stream beside it would bring lines twice.
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

// concerns reports whether a want is about an app of a device, or with an empty udid about one that the session follows.
func (w *want) concerns(owner device.Owner, app string) bool {
	if owner.UDID == "" && w.owner.Session != owner.Session || owner.UDID != "" && w.spec.udid != owner.UDID {
		return false
	}
	return app == "" || w.spec.app == app || w.spec.all
}

// hears reports whether something is followed that shows all that this would. It needs the mutex.
func (m *Manager) hears(s spec) bool {
	return slices.ContainsFunc(m.wants, func(w *want) bool { return !w.asleep && w.spec.covers(s) })
}
