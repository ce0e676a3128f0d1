// Package steplines adds to the answer of a call the errors that its app logged during the call, and late errors from after the answer
// of the previous step. Lines is an op.Observer that reads the store of log lines. Without new lines it costs one comparison of two
// numbers. It never changes a call's outcome.
package steplines

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

// Options are the sources of the lines.
type Options struct {
	Store    *telemetry.Store
	Sessions *session.Store // has the app that a session saw in front
	// Settle waits until the output of a device's app is in the store. It may be nil.
	Settle func(ctx context.Context, udid, app string) error
}

// Lines adds the errors of apps to answers.
type Lines struct {
	Options

	mu   sync.Mutex
	told recent.Map[op.Pair, told]
}

// New makes an observer without a history.
func New(o Options) *Lines {
	return &Lines{Options: o, told: recent.Map[op.Pair, told]{Most: mostTold}}
}

var _ op.Observer = (*Lines)(nil)

// Launched is the note of a call that launched an app, which need not be in front.
type Launched string

// Shown is the note of a call whose answer shows log lines, so that their errors are not counted again.
type Shown struct{}

// line is the observer's own note: the newest line when the call began to act.
type line int64

// Line is the number of the newest line when a call began to act; false if the call has not acted.
func Line(c *op.Call) (int64, bool) {
	n, acted := op.Noted[line](c)
	return int64(n), acted
}

// Begin watches a call.
func (s *Lines) Begin(c *op.Call) op.Watch { return &watch{s, c} }

// watch is one call.
type watch struct {
	*Lines
	call *op.Call
}

// Act records the newest line.
func (w *watch) Act() {
	if w.call.Device != nil {
		w.call.Note(line(w.now(w.call.Device.UDID)))
	}
}

// End adds the logged errors to the answer. The outcome does not depend on them.
func (w *watch) End(ctx context.Context, x *op.Exchange) {
	if x.Call.Device != nil && x.Mode != op.Stream {
		w.over(ctx, x)
		x.Waited()
	}
}

// told is the last report to a session about a device.
type told struct {
	line int64  // newest line at that time
	step string // last step
	app  string // app in front
}

const (
	mostTold    = 1000            // maximum number of remembered reports
	settleLimit = 2 * time.Second // maximum wait for output
	mostErrors  = 200             // maximum number of errors read to count repeats
)

// now is the number of the newest line. It first stores lines that are not written yet, because they belong to the time before the
// step.
func (s *Lines) now(udid string) int64 {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	_ = s.wait(ctx, udid, "") // otherwise an earlier line would count for the step
	return s.Store.Last()
}

// over adds the errors of a step, and for every call the errors since the session's last step on that device.
func (s *Lines) over(ctx context.Context, x *op.Exchange) {
	at := x.Call.Pair()
	step, _ := x.Call.Step()
	from, _ := Line(x.Call)
	s.mu.Lock()
	before, known := s.told.Get(at)
	s.mu.Unlock()
	if step == "" && !known {
		return // it only looks, and the session has no step yet
	}
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	now := told{step: before.step, app: s.front(at)}
	if step != "" {
		now.step = step
	}
	if err := s.wait(ctx, at.UDID, now.app); err != nil {
		return // the next call reports the later lines
	}
	now.line = s.Store.Last()
	if !known {
		before.line = from
	}
	if step == "" {
		from = now.line // all later lines are late
	}
	s.remember(at, now)
	if _, shown := op.Noted[Shown](x.Call); shown || now.line == before.line {
		return
	}
	launched, _ := op.Noted[Launched](x.Call)
	apps := slices.DeleteFunc([]string{now.app, before.app, string(launched)}, func(app string) bool { return app == "" })
	slices.Sort(apps)
	apps = slices.Compact(apps)
	wanted := telemetry.Query{
		Device: at.UDID, Level: telemetry.Error, Sources: telemetry.AppSources(), WithoutNoise: true, Oldest: true, Limit: mostErrors,
	}
	logs := &op.AppErrors{}
	late, first := s.count(ctx, wanted, before.line, from, apps)
	tell(x, logs, late, first, before.step)
	own, first := s.count(ctx, wanted, from, now.line, apps)
	tell(x, logs, own, first, "")
}

// front is the app that the session saw in front last.
func (s *Lines) front(at op.Pair) (app string) {
	s.Sessions.Get(at.Session).Refs(func(r *ui.Refs) { app = r.LastApp(at.UDID) })
	return app
}

func (s *Lines) wait(ctx context.Context, udid, app string) error {
	if s.Settle != nil {
		if err := s.Settle(ctx, udid, app); err != nil {
			return err
		}
	}
	return s.Store.Settle(ctx)
}

// remember records the last report to a session. A session beyond the limit is forgotten and gets no late errors.
func (s *Lines) remember(at op.Pair, now told) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told.Put(at, now)
}

// count gives the number of errors in a range of lines, and the first of them. Without a known app, it counts the errors of every
// followed app.
func (s *Lines) count(ctx context.Context, q telemetry.Query, after, upto int64, apps []string) (n int, first telemetry.Entry) {
	if upto <= after {
		return 0, first
	}
	q.After, q.Upto = after, upto
	if len(apps) == 0 {
		apps = []string{""}
	}
	for _, app := range apps {
		q.App = app
		page, err := s.Store.Query(ctx, q)
		if err != nil {
			continue // a failed read of lines must not fail the answer
		}
		for _, e := range page.Entries {
			if e.App == "" { // of another process on the device
				page.Total--
				continue
			}
			n += max(e.Count, 1)
			if first.Number == 0 || e.Number < first.Number {
				first = e
			}
		}
		n += max(page.Total-len(page.Entries), 0)
	}
	return n, first
}

// tell adds the errors to the answer.
func tell(x *op.Exchange, logs *op.AppErrors, n int, first telemetry.Entry, since string) {
	if n == 0 {
		return
	}
	text := brief.Count(n, "error")
	if since != "" {
		logs.Late, logs.Since = n, since
		text += " since step " + since
	} else {
		logs.Errors = n
	}
	if logs.First == "" || since == "" {
		logs.First = first.Message
	}
	if n > 1 {
		text += ", first"
	}
	text += ": " + ui.Quote(first.Message)
	if n > 1 {
		text += fmt.Sprintf(" (%s)", hint.Do("read_logs", "step", cmp.Or(since, steps.Last)))
	}
	x.Notify(op.Notice{Kind: op.Logged, Text: text})
	x.AttachLogs(logs)
}
