package streams

import (
	"context"
	"slices"
)

// Settle stores all output of an app up to now; with an empty app, of all apps on the device. It does not wait for lines that `log
// stream` has not shown yet.
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

// shows reports whether a stream has lines of an app; with an empty app, of a device; with an empty udid, of any device.
func (s *stream) shows(udid, app string) bool {
	return (udid == "" || s.spec.udid == udid) && (app == "" || s.spec.app == app || s.spec.all)
}

// Begun waits until the streams of an app have begun or failed; with an empty app, of a device; with an empty udid, of all devices.
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

// Filled waits until the past lines of an app's streams are stored or cannot be; with an empty app, of a device; with an empty udid, of
// all devices.
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
