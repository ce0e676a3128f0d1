// Package whose works out which log lines a reader means: of which app, on which device, during which step, and from which sources.
// Asked is the reader's request and Meant the resulting query. The package reads no lines.
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

// Asked is a reader's choice of lines.
type Asked struct {
	App                string // bundle id or name
	All                bool   // of all apps and devices
	Process, Subsystem string
	Source             telemetry.Source
	Device, Step       bool // the request names one
}

// Meant is the meaning of a request.
type Meant struct {
	Query   telemetry.Query
	Of      string // description
	Step    string
	Device  bool  // all lines are of one device
	Unknown error // the app is not installed on the device; a process may have its name
}

// Anybody is the meaning before a device is found. enough reports whether a device is not needed.
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

// During limits the lines to a step.
func (m *Meant) During(step string, lines steps.LogRange) {
	m.Step, m.Query.After = step, lines.After
	switch {
	case lines.Upto == nil:
	case *lines.Upto == lines.After:
		m.Query.Upto, m.Query.After = 1, 1 // an empty range; 0 would be unlimited
	default:
		m.Query.Upto = *lines.Upto
	}
}

// On limits the lines to a device and an app: the named app, or else the usual one.
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

// Followed uses the app that was followed last on a device, if no app is known yet.
func (m *Meant) Followed(a Asked, app, device string) {
	if !a.All && a.Process == "" {
		m.Query.App = cmp.Or(m.Query.App, app)
	}
	m.name(device)
}

// name describes the lines in words.
func (m *Meant) name(device string) {
	if of := cmp.Or(m.Query.App, m.Query.Process); of != "" {
		m.Of = ui.Inline(of) + " on " + device
	}
}

// Anywhere limits the lines to an app without a chosen device, over all devices.
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

// Usual is the app for a device when none is named: the app in front if it is followed, otherwise the app that was followed last. The
// newest source comes first.
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

// Sources are the sources that may have matching lines.
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
