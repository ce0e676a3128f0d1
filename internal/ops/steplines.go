package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device/session"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/op/recent"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/ui"
)

// stepLines tells in the answer of a call which errors its app logged meanwhile, and which came late: after the answer of the step
// before. Where nothing came it costs a comparison of two numbers.
type stepLines struct {
	store    *telemetry.Store
	sessions *session.Store
	settle   logs.Settle

	mu   sync.Mutex
	told recent.Map[spot, told]
}

// NewStepLines makes the lines of a catalogue. Settle may be nil: then what the store was given is enough.
func NewStepLines(store *telemetry.Store, sessions *session.Store, settle logs.Settle) op.Lines {
	return &stepLines{store: store, sessions: sessions, settle: settle, told: recent.Map[spot, told]{Most: mostTold}}
}

// spot is a session on a device.
type spot struct{ session, udid string }

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

// Now is the number of the newest line. What was said before and is not written yet gets its number first: it is not of the step that
// begins.
func (s *stepLines) Now(udid string) int64 {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	_ = s.wait(ctx, udid, "") // else a line of before is taken for one of the step
	return s.store.Last()
}

// Over tells the errors of a step, and for any call those that came since the last step of the session on that device.
func (s *stepLines) Over(ctx context.Context, c *op.Call) {
	at := spot{c.Session, c.Device.UDID}
	step, from := c.Step()
	s.mu.Lock()
	before, known := s.told.Get(at)
	s.mu.Unlock()
	if step == "" && !known {
		return // it looks, and nothing was done before
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	now := told{step: before.step, app: s.front(at)}
	if step != "" {
		now.step = step
	}
	if err := s.wait(ctx, at.udid, now.app); err != nil {
		return // what came meanwhile is told by the next call
	}
	now.line = s.store.Last()
	if !known {
		before.line = from
	}
	if step == "" {
		from = now.line // all that came since is late
	}
	s.remember(at, now)
	if now.line == before.line || c.ShowsLog {
		return
	}
	apps := slices.DeleteFunc([]string{now.app, before.app, c.App}, func(app string) bool { return app == "" })
	slices.Sort(apps)
	apps = slices.Compact(apps)
	wanted := telemetry.Query{
		Device: at.udid, Level: telemetry.Error, Sources: telemetry.AppSources(), WithoutNoise: true, Oldest: true, Limit: mostErrors,
	}
	late, first := s.count(ctx, wanted, before.line, from, apps)
	s.tell(c, late, first, before.step)
	if n, first := s.count(ctx, wanted, from, now.line, apps); n > 0 {
		s.tell(c, n, first, "")
	}
}

// front is the app that the session saw in front last.
func (s *stepLines) front(at spot) (app string) {
	s.sessions.Get(at.session).Refs(func(r *ui.Refs) { app = r.LastApp(at.udid) })
	return app
}

func (s *stepLines) wait(ctx context.Context, udid, app string) error {
	if s.settle != nil {
		if err := s.settle(ctx, udid, app); err != nil {
			return err
		}
	}
	return s.store.Settle(ctx)
}

// remember notes what a session was told. A session that is forgotten, because too many others came after it, is not told what comes
// late.
func (s *stepLines) remember(at spot, now told) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told.Put(at, now)
}

// count gives how many errors the apps logged in a range of lines, and the first of them. Without an app that is known, those of every
// app count that is listened to.
func (s *stepLines) count(ctx context.Context, q telemetry.Query, after, upto int64, apps []string) (n int, first telemetry.Entry) {
	if upto <= after {
		return 0, first
	}
	q.After, q.Upto = after, upto
	if len(apps) == 0 {
		apps = []string{""}
	}
	for _, app := range apps {
		q.App = app
		page, err := s.store.Query(ctx, q)
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
func (s *stepLines) tell(c *op.Call, n int, first telemetry.Entry, since string) {
	if n == 0 {
		return
	}
	if c.Logs == nil {
		c.Logs = &op.AppErrors{}
	}
	text := brief.Count(n, "error")
	if since != "" {
		c.Logs.Late, c.Logs.Since = n, since
		text += " since step " + since
	} else {
		c.Logs.Errors = n
	}
	if c.Logs.First == "" || since == "" {
		c.Logs.First = first.Message
	}
	if n > 1 {
		text += ", first"
	}
	text += ": " + ui.Quote(first.Message)
	if n > 1 {
		text += fmt.Sprintf(" (`ios-agent logs --step %s`)", cmp.Or(since, op.LastStep))
	}
	c.Notify(op.Notice{Kind: op.Logged, Text: text})
}
