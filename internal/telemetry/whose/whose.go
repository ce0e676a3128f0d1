// Package whose works out whose lines a reader means: of which app, on which device, during which step, and where they may come from. It
// reads none.
package whose

import (
	"cmp"
	"context"
	"slices"

	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/ui"
)

// Asked is what a reader said about whose lines it wants.
type Asked struct {
	App                string // bundle id or name
	All                bool   // of all apps and devices
	Process, Subsystem string
	Source             telemetry.Source
	Device, Step       bool // one is named
}

// Meant is what that means.
type Meant struct {
	Query   telemetry.Query
	Of      string // in words
	Step    string
	Device  bool  // they are of one device
	Unknown error // the app is not on the device; a process may have its name
}

// Anybody is what is meant as long as no device is found, and whether none needs to be.
func (a Asked) Anybody() (m Meant, enough bool) {
	m.Query.Process, m.Query.Subsystem = a.Process, a.Subsystem
	m.Of = "all apps and devices"
	enough = a.All && !a.Device || !a.Device && a.App == "" && !a.Step && a.Source.OfHost()
	if a.Source != "" {
		m.Query.Sources = []telemetry.Source{a.Source}
		if enough {
			m.Of = "the source " + string(a.Source)
		}
	}
	return m, enough
}

// During bounds the lines to those of a step.
func (m *Meant) During(step string, lines steps.LogRange) {
	m.Step, m.Query.After = step, lines.After
	switch {
	case lines.Upto == nil:
	case *lines.Upto == lines.After:
		m.Query.Upto, m.Query.After = 1, 1 // nothing came; 0 would be no bound
	default:
		m.Query.Upto = *lines.Upto
	}
}

// On narrows the lines to a device, and to the app that is meant there: the one that is named, else the usual one.
func (m *Meant) On(ctx context.Context, a Asked, h *pool.Handle, usual string) (err error) {
	q := &m.Query
	q.Device, m.Device, m.Of = h.Info().UDID, true, h.Info().Name
	switch {
	case a.All || a.Process != "" && a.App == "":
		return nil
	case a.App == "":
		q.App = usual
	default:
		if err := appref.CheckApp(a.App); err != nil {
			return err
		}
		if q.App, err = appref.BundleOf(ctx, h, a.App); fault.Is(err, fault.AppNotFound) {
			q.App, q.Process, m.Unknown = "", cmp.Or(q.Process, a.App), err
		} else if err != nil {
			return err
		}
	}
	m.name(h.Info().Name)
	return nil
}

// Followed has the app that was followed last on a device be meant, where none is known yet.
func (m *Meant) Followed(a Asked, app, device string) {
	if !a.All && a.Process == "" {
		m.Query.App = cmp.Or(m.Query.App, app)
	}
	m.name(device)
}

// name says in words whose lines they are.
func (m *Meant) name(device string) {
	if of := cmp.Or(m.Query.App, m.Query.Process); of != "" {
		m.Of = ui.Inline(of) + " on " + device
	}
}

// Anywhere narrows the lines to an app, where no device is chosen: what is known of all of them.
func (m *Meant) Anywhere(app string) error {
	if app == "" {
		return nil
	}
	if err := appref.CheckApp(app); err != nil {
		return err
	}
	if m.Of = ui.Inline(app) + " on all devices"; appref.IsBundle(app) {
		m.Query.App = app
	} else {
		m.Query.Process = cmp.Or(m.Query.Process, app)
	}
	return nil
}

// Usual is the app that is meant on a device when none is named: the one in front, if somebody listens to it, else the one that was
// listened to last. The newest of the sources is the first.
func Usual(sources []telemetry.State, udid, front string) string {
	last := ""
	for _, s := range sources {
		if s.Device != udid || s.App == "" {
			continue
		}
		if s.App == front {
			return front
		}
		last = cmp.Or(last, s.App)
	}
	return last
}

// Sources are those that could have lines that fit.
func (m Meant) Sources(all []telemetry.State) (fit []telemetry.State) {
	q := m.Query
	for _, s := range all {
		if s.Device != "" && q.Device != "" && s.Device != q.Device || s.App != "" && q.App != "" && s.App != q.App ||
			len(q.Sources) > 0 && !slices.Contains(q.Sources, s.Source) {
			continue
		}
		fit = append(fit, s)
	}
	return fit
}
