package streams

import (
	"context"
	"slices"
)

// Settle makes what apps have printed up to now findable, of one app or with an empty id of all on the device. What `log stream`
// has not shown yet cannot be hurried: such lines come a moment later.
func (m *Manager) Settle(ctx context.Context, udid, app string) error {
	m.mu.Lock()
	var mine []*console
	for _, c := range m.consoles {
		if (udid == "" || c.owner.UDID == udid) && (app == "" || c.app == app) {
			mine = append(mine, c)
		}
	}
	m.mu.Unlock()
	for _, c := range mine {
		c.read()
	}
	return m.o.Store.Flush(ctx)
}

// shows reports whether a stream has lines of an app, or with an empty id of a device, or of any.
func (s *stream) shows(udid, app string) bool {
	return (udid == "" || s.spec.udid == udid) && (app == "" || s.spec.app == app || s.spec.all)
}

// Begun waits until the streams of an app, or with an empty id of a device or of all, have begun or cannot.
func (m *Manager) Begun(ctx context.Context, udid, app string) {
	m.mu.Lock()
	all := slices.Clone(m.streams)
	m.mu.Unlock()
	for _, s := range all {
		if !s.shows(udid, app) {
			continue
		}
		select {
		case <-s.begun:
		case <-ctx.Done():
			return
		}
	}
}

// Filled waits until what was logged before the streams of an app, or with an empty id of a device or of all, began is in the store, or
// cannot be.
func (m *Manager) Filled(ctx context.Context, udid, app string) {
	m.Begun(ctx, udid, app)
	m.mu.Lock()
	all := slices.Clone(m.streams)
	m.mu.Unlock()
	for _, s := range all {
		if !s.shows(udid, app) {
			continue
		}
		s.mu.Lock()
		filling := s.filling
		s.mu.Unlock()
		if filling == nil {
			continue
		}
		select {
		case <-filling:
		case <-ctx.Done():
			return
		}
	}
}
