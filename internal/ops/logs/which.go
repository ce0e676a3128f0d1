package logs

import (
	"context"
	"slices"
	"strconv"

	"ios-agent/internal/device"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/telemetry/whose"
	"ios-agent/internal/ui"
)

// which is the query of a call.
func (l *Lines) which(ctx context.Context, c *op.Call, in whichIn, step string) (m whose.Meant, err error) {
	if m, err = l.whose(ctx, c, in.whoseIn, step); err != nil {
		return m, err
	}
	if m.Query.Since, err = op.TimeOf("since", in.Since, l.d.Now); err != nil {
		return m, err
	}
	if in.After != "" {
		if m.Query.After, err = cursor("after", in.After); err != nil {
			return m, err
		}
	}
	m.Query.Level, _ = telemetry.ParseLevel(in.Level)
	m.Query.Search = in.Grep
	return m, nil
}

// between is the query of a call for stored lines.
func (l *Lines) between(ctx context.Context, c *op.Call, in whichIn, kept betweenIn) (whose.Meant, error) {
	m, err := l.which(ctx, c, in, kept.Step)
	if err != nil {
		return m, err
	}
	if m.Query.Until, err = op.TimeOf("until", kept.Until, l.d.Now); err != nil || kept.Before == "" {
		return m, err
	}
	before, err := cursor("before", kept.Before)
	if err != nil {
		return m, err
	}
	if m.Query.Upto = before - 1; m.Query.Upto < 1 {
		m.Query.After, m.Query.Upto = 1, 1 // an empty range: no line is older than the first, and an Upto of 0 means no limit
	}
	return m, nil
}

func (l *Lines) whose(ctx context.Context, c *op.Call, in whoseIn, step string) (whose.Meant, error) {
	on := in.Target
	asked := whose.Asked{
		App: in.App, All: in.All, Process: in.Process, Subsystem: in.Subsystem, Source: in.Source,
		Device: on != (target.Target{}), Step: step != "",
	}
	m, enough := asked.Anybody()
	if enough {
		return m, nil
	}
	if step != "" {
		lines, id, udid, err := l.stepLines(ctx, c, step, on)
		if err != nil {
			return m, err
		}
		on = target.Target{UDID: udid}
		m.During(id, lines)
	}
	h, s, err := l.d.Access.Device(ctx, c, on)
	if err != nil {
		if on != (target.Target{}) {
			return m, err
		}
		return m, m.Anywhere(in.App)
	}
	front := ""
	s.Refs(func(r *ui.Refs) { front = r.LastApp(h.Info().UDID) })
	if err := m.On(ctx, asked, h, whose.Usual(l.d.Store.Sources(), h.Info().UDID, front)); err != nil || l.d.Access.Said == nil {
		return m, err
	}
	owner := device.Owner{Session: c.Session, UDID: h.Info().UDID} // resume the log that was followed before, for the caller
	m.Followed(asked, l.d.Access.Said.Resume(h.Device, streams.Request{Owner: owner, App: m.Query.App}), h.Info().Name)
	return m, nil
}

func (l *Lines) stepLines(ctx context.Context, c *op.Call, step string, on target.Target) (steps.LogRange, string, string, error) {
	udid := ""
	if on != (target.Target{}) {
		h, _, err := l.d.Access.Device(ctx, c, on)
		if err != nil {
			return steps.LogRange{}, "", "", err
		}
		udid = h.Info().UDID
	}
	return l.d.Steps.LinesOf(c.Session, step, udid)
}

// sources lists the sources that may have matching lines.
func (l *Lines) sources(m whose.Meant) []LogSource {
	out := []LogSource{}
	for _, s := range m.Sources(l.d.Store.Sources()) {
		out = append(out, LogSource{string(s.Source), s.Type, s.Status, s.Device, s.App, s.Captured, s.Lost, s.Missing, s.Error})
	}
	return out
}

// listened reports whether the log of an app is captured now.
func listened(sources []LogSource) bool {
	return slices.ContainsFunc(sources, func(s LogSource) bool {
		return telemetry.Source(s.Source).OfApps() && s.Status == "streaming"
	})
}

// cursor parses a cursor of an earlier answer.
func cursor(field, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidInput, "%s: %.40q is not a cursor", field, text).With("field", field).
			WithHint("use the cursor of an earlier answer")
	}
	return n, nil
}
