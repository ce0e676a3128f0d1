package logs

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
)

// meantLines is what a call means.
type meantLines struct {
	query   telemetry.Query
	of      string // in words
	step    string
	device  bool  // they are of one device
	unknown error // the app is not on the device; a process may have its name
}

// which works out what a call means.
func (l *Lines) which(ctx context.Context, c *op.Call, in whichIn, step string) (m meantLines, err error) {
	if m, err = l.whose(ctx, c, in.whoseIn, step); err != nil {
		return m, err
	}
	if m.query.Since, err = op.TimeOf("since", in.Since, l.now); err != nil {
		return m, err
	}
	if in.After != "" {
		if m.query.After, err = cursor("after", in.After); err != nil {
			return m, err
		}
	}
	m.query.Level, _ = telemetry.ParseLevel(in.Level)
	m.query.Search = in.Grep
	return m, nil
}

func (l *Lines) whose(ctx context.Context, c *op.Call, in whoseIn, step string) (m meantLines, err error) {
	q := &m.query
	q.Process, q.Subsystem = in.Process, in.Subsystem
	if in.Source != "" {
		q.Sources = []telemetry.Source{in.Source}
	}
	named := in.Target != (target.Target{})
	m.of = "all apps and devices"
	if in.All && !named || !named && in.App == "" && step == "" && in.Source.OfHost() {
		if in.Source != "" {
			m.of = "the source " + string(in.Source)
		}
		return m, nil
	}
	on := in.Target
	if step != "" {
		lines, id, udid, err := l.stepLines(ctx, c, step, on)
		if err != nil {
			return m, err
		}
		on, m.step, q.After = target.Target{UDID: udid}, id, lines.After
		if q.Upto = lines.After; lines.Upto == nil {
			q.Upto = 0
		} else if q.Upto = *lines.Upto; q.Upto == lines.After {
			q.Upto, q.After = 1, 1 // nothing came; 0 would be no bound
		}
	}
	h, s, err := l.access.Device(ctx, c, on)
	if err != nil {
		if on != (target.Target{}) {
			return m, err
		}
		return m, l.appOnly(in.App, &m) // no device is chosen: what is known of all of them
	}
	q.Device, m.device = h.Info().UDID, true
	m.of = h.Info().Name
	if err = l.app(ctx, in, h, s, &m); err == nil && l.access.Said != nil {
		q.App = l.resume(c, h, in, q.App)
		m.name(h.Info().Name)
	}
	return m, err
}

// resume has what was followed before heard again, for who reads it, and gives the app that is meant: where none is known yet, the one
// that was followed last.
func (l *Lines) resume(c *op.Call, h *pool.Handle, in whoseIn, app string) string {
	last := l.access.Said.Resume(h.Device, streams.Request{Owner: device.Owner{Session: c.Session, UDID: h.Info().UDID}, App: app})
	if in.All || in.Process != "" {
		return app
	}
	return cmp.Or(app, last)
}

// name says in words whose lines they are.
func (m *meantLines) name(device string) {
	if of := cmp.Or(m.query.App, m.query.Process); of != "" {
		m.of = ui.Inline(of) + " on " + device
	}
}

func (l *Lines) stepLines(ctx context.Context, c *op.Call, step string, on target.Target) (steps.LogRange, string, string, error) {
	udid := ""
	if on != (target.Target{}) {
		h, _, err := l.access.Device(ctx, c, on)
		if err != nil {
			return steps.LogRange{}, "", "", err
		}
		udid = h.Info().UDID
	}
	return l.steps.LinesOf(c.Session, step, udid)
}

// app narrows the lines to the app that is meant: the one that is named, else the one in front, if somebody listens to it, else the
// one that was listened to last.
func (l *Lines) app(ctx context.Context, in whoseIn, h *pool.Handle, s *session.Session, m *meantLines) (err error) {
	q := &m.query
	switch {
	case in.All || in.Process != "" && in.App == "":
		return nil
	case in.App == "":
		q.App = l.usual(q.Device, s)
	default:
		if err := appref.CheckApp(in.App); err != nil {
			return err
		}
		if q.App, err = appref.BundleOf(ctx, h, in.App); fault.Is(err, fault.AppNotFound) {
			q.App, q.Process, m.unknown = "", cmp.Or(q.Process, in.App), err
		} else if err != nil {
			return err
		}
	}
	m.name(h.Info().Name)
	return nil
}

func (l *Lines) appOnly(app string, m *meantLines) error {
	if app == "" {
		return nil
	}
	if err := appref.CheckApp(app); err != nil {
		return err
	}
	if m.of = ui.Inline(app) + " on all devices"; appref.IsBundle(app) {
		m.query.App = app
	} else {
		m.query.Process = cmp.Or(m.query.Process, app)
	}
	return nil
}

// usual is the app that a session means on a device when it names none.
func (l *Lines) usual(udid string, s *session.Session) (app string) {
	s.Refs(func(r *ui.Refs) { app = r.LastApp(udid) })
	last := ""
	for _, state := range l.store.Sources() {
		if state.Device != udid || state.App == "" {
			continue
		}
		if state.App == app {
			return app
		}
		last = cmp.Or(last, state.App)
	}
	return last
}

// sources are those that could have lines that fit.
func (l *Lines) sources(q telemetry.Query) []LogSource {
	out := []LogSource{}
	for _, s := range l.store.Sources() {
		if s.Device != "" && q.Device != "" && s.Device != q.Device || s.App != "" && q.App != "" && s.App != q.App ||
			len(q.Sources) > 0 && !slices.Contains(q.Sources, s.Source) {
			continue
		}
		out = append(out, LogSource{string(s.Source), s.Type, s.Status, s.Device, s.App, s.Captured, s.Lost, s.Error})
	}
	return out
}

// listened reports whether an app's own words are heard now.
func listened(sources []LogSource) bool {
	return slices.ContainsFunc(sources, func(s LogSource) bool {
		return telemetry.Source(s.Source).OfApps() && s.Status == "streaming"
	})
}

// cursor reads a cursor of ours.
func cursor(field, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidInput, "%s: %.40q is no cursor", field, text).With("field", field).
			WithHint("give the cursor of an earlier answer")
	}
	return n, nil
}
