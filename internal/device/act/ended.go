package act

import (
	"context"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// Ended is an app that an input ended: it left by itself, or closed its last window. That is an effect as any other; a crash is a fault.
type Ended struct {
	App  string
	How  string   // "it left with exit code 0"
	Logs []string // what it printed or logged last
}

// Text says so, with what it printed last.
func (e Ended) Text() string {
	text := oneline.Head(ui.Inline(e.App)) + " ended: " + e.How
	for _, line := range e.Logs {
		text += "\nit printed last: " + ui.QuoteLine(line)
	}
	return text
}

// ended finds out whether another app is in front because the app has ended: by itself, which the report says, or by a crash, which is a
// fault.
func (s Step) ended(ctx context.Context, report *Report, after *ui.Screen, since time.Time) error {
	before := report.Before.App
	if before == after.App || report.Lost != nil || s.runs(ctx, before) {
		return nil
	}
	return s.explain(ctx, report, after.App, since)
}

// runs reports whether an app runs, as far as the device can tell.
func (s Step) runs(ctx context.Context, app string) bool {
	able, ok := device.Has[device.Running](s.Device)
	if !ok || app == "" {
		return true
	}
	running, err := able.Running(ctx)
	return err != nil || running[app] > 0
}

// unseen is what a step came to after which the screen could not be read: an app that left shows nothing any more. When it crashed, the
// fault says why, and what the app logged last.
func (s Step) unseen(ctx context.Context, err error, how How, report *Report, since time.Time) (*ui.Screen, error) {
	nothing := ui.NewScreen(report.Before.App, "not_running", nil)
	nothing.Settled = true
	switch {
	case report.Lost != nil:
	case fault.Is(err, fault.AppNotRunning), fault.Is(err, fault.AppNotInFront) && s.leaves(ctx, how):
		return nothing, s.explain(ctx, report, "", since)
	case fault.Is(err, fault.AppNotInFront) && s.mortal(): // it runs, and shows nothing any more
		report.Ended = &Ended{App: report.Before.App, How: "it closed its last window, and runs on without one"}
		return nothing, nil
	case fault.Is(err, fault.AppNotInFront):
		return nil, fault.From(err).WithDispatch(fault.Dispatched)
	}
	dispatched := fault.Dispatched
	if report.Lost != nil {
		dispatched = fault.MaybeDispatched
	}
	return nil, fault.New(fault.OutcomeUnknown, "the input was sent, but the screen could not be read after: %w", err).WithDispatch(dispatched)
}

// leaves reports whether a process without windows ends within the time for a reaction: its last window closes first.
func (s Step) leaves(ctx context.Context, how How) bool {
	if !s.mortal() {
		return false
	}
	for until := time.Now().Add(s.reaction(how)); !s.over() && time.Now().Before(until); {
		if pause.For(ctx, 10*time.Millisecond) != nil {
			break
		}
	}
	return s.over()
}

// mortal reports whether what is driven can end for good, as a process does.
func (s Step) mortal() bool {
	_, is := device.Has[device.Mortal](s.Device)
	return is
}

// explain says in the report that an app ended by itself; a crash, and an end that nobody can explain, are faults.
func (s Step) explain(ctx context.Context, report *Report, front string, since time.Time) error {
	app := report.Before.App
	failed := func(why string) *fault.Fault {
		f := fault.New(fault.AppEnded, "%s ended after the input%s", app, why).WithDispatch(fault.Dispatched)
		if front != "" {
			f = f.With("front", front)
		}
		return f
	}
	reporter, able := device.Has[device.EndReporter](s.Device)
	if !able {
		return failed("")
	}
	end, err := reporter.Ended(ctx, app, since)
	switch {
	case err != nil:
		return failed("").With("why_unknown", err.Error())
	case end.Own:
		report.Ended = &Ended{App: app, How: end.Reason, Logs: end.Logs}
		return nil
	case end.Reason == "":
		return crashed(failed(""), app, end)
	}
	return crashed(failed(": "+end.Reason), app, end)
}

// crashed adds what is known of a crash.
func crashed(f *fault.Fault, app string, end device.End) error {
	f = f.With("last_log_lines", end.Logs)
	again := hint.Do("launch_app", "bundle_id", app)
	switch {
	case end.Hint != "":
		return f.WithHint("%s", end.Hint)
	case end.Report == "":
		return f.WithHint("launch it again: %s", again)
	}
	return f.With("crash_report", end.Report).With("crash_id", end.ID).With("crash", end.Crash).
		WithHint("%s shows where it crashed; launch it again: %s", hint.Do("show_crash", "crash_id", end.ID), again)
}

// leftBehind tells of the app that this session saw last, if another one is in front because that one has ended.
func (s Step) leftBehind(ctx context.Context, now *ui.Screen) string {
	var last *ui.Screen
	udid := s.Device.Info().UDID
	s.Session.Refs(func(r *ui.Refs) { last = r.Shown(udid) })
	if last == nil || last.App == now.App || s.runs(ctx, last.App) {
		return ""
	}
	said := last.App + " has ended"
	reporter, err := device.As[device.EndReporter](s.Device)
	if err != nil {
		return said
	}
	if end, err := reporter.Ended(ctx, last.App, last.At); err == nil && end.Reason != "" {
		said += ": " + end.Reason
	}
	return said
}

// noScreen reports whether an error says that the app shows nothing, and not that it could not be looked at.
func noScreen(err error) bool {
	return fault.Is(err, fault.AppNotRunning) || fault.Is(err, fault.AppNotInFront)
}

// over reports whether what is driven has ended for good, as a process does.
func (s Step) over() bool {
	d, is := device.Has[device.Mortal](s.Device)
	return is && d.Gone()
}
