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

// Ended is an app that an input ended: the app exited by itself, or closed its last window. That is a normal effect; a crash is a
// fault.
type Ended struct {
	App  string
	How  string   // "it left with exit code 0"
	Logs []string // what it printed or logged last
}

// Text describes the end and the last lines that the app printed.
func (e Ended) Text() string {
	text := oneline.Head(ui.Inline(e.App)) + " ended: " + e.How
	for _, line := range e.Logs {
		text += "\nit printed last: " + ui.QuoteLine(line)
	}
	return text
}

// ended finds out whether another app is in front because the app has ended. An end by the app itself goes into the report; a crash is
// a fault.
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

// unseen is the result of a step whose screen could not be read after the input: an app that exited shows nothing any more. After a
// crash, the fault has the reason and the app's last log lines.
func (s Step) unseen(ctx context.Context, err error, how How, report *Report, since time.Time) (*ui.Screen, error) {
	nothing := ui.NewScreen(report.Before.App, "not_running", nil)
	nothing.Settled = true
	switch {
	case report.Lost != nil:
	case fault.Is(err, fault.AppNotRunning), fault.Is(err, fault.AppNotInFront) && s.leaves(ctx, how):
		return nothing, s.explain(ctx, report, "", since)
	case fault.Is(err, fault.AppNotInFront) && s.mortal(): // the process runs without a window
		report.Ended = &Ended{App: report.Before.App, How: "it closed its last window and still runs"}
		return nothing, nil
	case fault.Is(err, fault.AppNotInFront):
		return nil, fault.From(err).WithDispatch(fault.Dispatched)
	}
	dispatched := fault.Dispatched
	if report.Lost != nil {
		dispatched = fault.MaybeDispatched
	}
	return nil, fault.New(fault.OutcomeUnknown, "the input was sent, but reading the screen after it failed: %w", err).WithDispatch(dispatched)
}

// leaves reports whether a process without windows ends within the reaction time: a process closes its last window before it exits.
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

// mortal reports whether the driven device can end for good, as a process does.
func (s Step) mortal() bool {
	_, is := device.Has[device.Mortal](s.Device)
	return is
}

// explain adds an app's normal end to the report. A crash or an unexplained end is a fault.
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

// crashed adds the details of a crash.
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

// leftBehind describes the end of the app that this session saw last, if another app is in front because of it.
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

// noScreen reports whether an error means that the app shows nothing, as opposed to a failed look.
func noScreen(err error) bool {
	return fault.Is(err, fault.AppNotRunning) || fault.Is(err, fault.AppNotInFront)
}

// over reports whether the driven device has ended for good, as a process does.
func (s Step) over() bool {
	d, is := device.Has[device.Mortal](s.Device)
	return is && d.Gone()
}
