// Package steplines tells in the answer of a call which errors its app logged meanwhile, and which came late: after the answer of the step
// before. It observes calls and reads the store of log lines. Where no line came it costs a comparison of two numbers.
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

// Options are what the lines are read from.
type Options struct {
	Store    *telemetry.Store
	Sessions *session.Store // which app a session saw in front
	// Settle waits until what the app of a device has said so far is in the store; nil: what the store was given is enough.
	Settle func(ctx context.Context, udid, app string) error
}

// Lines tells calls what apps logged.
type Lines struct {
	Options

	mu   sync.Mutex
	told recent.Map[op.Pair, told]
}

// New makes an observer that has told nothing yet.
func New(o Options) *Lines {
	return &Lines{Options: o, told: recent.Map[op.Pair, told]{Most: mostTold}}
}

var _ op.Observer = (*Lines)(nil)

// Launched is noted by a call that launches an app, which need not be the one in front.
type Launched string

// Shown is noted by a call whose answer shows what apps logged: the errors in it are not counted once more.
type Shown struct{}

// line is noted by the observer itself: the newest line when the call began to act.
type line int64

// Line is the number of the newest line when a call began to act; false: it has not acted.
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

// Act notes the newest line.
func (w *watch) Act() {
	if w.call.Device != nil {
		w.call.Note(line(w.now(w.call.Device.UDID)))
	}
}

// End tells what was logged. The answer does not depend on it.
func (w *watch) End(ctx context.Context, x *op.Exchange) {
	if x.Call.Device != nil && x.Mode != op.Stream {
		w.over(ctx, x)
		x.Waited()
	}
}

// told is what a session was told of a device.
type told struct {
	line int64  // the newest line there was
	step string // the last step
	app  string // that was in front
}

const (
	mostTold    = 1000            // places that are remembered
	settleLimit = 2 * time.Second // an answer does not wait longer for what was said
	mostErrors  = 200             // that are read to be counted with their repeats
)

// now is the number of the newest line. What was said before and is not written yet gets its number first: it is not of the step that
// begins.
func (s *Lines) now(udid string) int64 {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	_ = s.wait(ctx, udid, "") // else a line of before is taken for one of the step
	return s.Store.Last()
}

// over tells the errors of a step, and for any call those that came since the last step of the session on that device.
func (s *Lines) over(ctx context.Context, x *op.Exchange) {
	at := x.Call.Pair()
	step, _ := x.Call.Step()
	from, _ := Line(x.Call)
	s.mu.Lock()
	before, known := s.told.Get(at)
	s.mu.Unlock()
	if step == "" && !known {
		return // it looks, and nothing was done before
	}
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	now := told{step: before.step, app: s.front(at)}
	if step != "" {
		now.step = step
	}
	if err := s.wait(ctx, at.UDID, now.app); err != nil {
		return // what came meanwhile is told by the next call
	}
	now.line = s.Store.Last()
	if !known {
		before.line = from
	}
	if step == "" {
		from = now.line // all that came since is late
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

// remember notes what a session was told. A session that is forgotten, because too many others came after it, is not told what comes
// late.
func (s *Lines) remember(at op.Pair, now told) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told.Put(at, now)
}

// count gives how many errors the apps logged in a range of lines, and the first of them. Without an app that is known, those of every
// app count that is listened to.
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
			continue // an answer does not fail because a line could not be read
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

// tell adds what was found to the answer.
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
