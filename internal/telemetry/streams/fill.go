package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/telemetry"
)

// How much of its past a stream fills in: less time for a whole device, where a minute can be a hundred megabytes.
const (
	pastOfApp = 2 * time.Minute
	pastOfAll = 10 * time.Second
	mostPast  = 5000     // maximum number of lines, the newest
	mostShown = 64 << 20 // maximum number of bytes read for them
	pastTime  = 20 * time.Second
	pastLines = 2               // maximum number of parallel readers of past logs
	backlash  = 5 * time.Second // lines may be missing from this time before a stream's end
)

// gap is the time for which a stream may lack lines.
type gap struct {
	from time.Time // start; zero: unknown, so as much as possible
	why  string    // reason for an entry about the missing lines; empty: no entry
}

// errTooMuch ends a program with too much output.
var errTooMuch = errors.New("its output is too large")

// past fills in a gap from the system's stored log while the stream already runs. A line from both sources is stored once. Lines that
// it could not fill in become an entry about the gap.
type past struct {
	s     *stream
	feed  *telemetry.Feed
	shows device.PastLog
	what  device.LogFilter
	gap   gap
	upto  int64 // entries of the store up to this number came before the stream
	twice *twice
}

// past prepares the filling of a gap before a stream begins; nil if the device cannot show its past log.
func (s *stream) past(ctx context.Context, feed *telemetry.Feed, what device.LogFilter, lacks gap) *past {
	shows, able := device.Has[device.PastLog](s.device)
	if !able {
		return nil
	}
	_ = s.m.o.Store.Flush(ctx) // otherwise lines may appear twice
	return &past{s: s, feed: feed, shows: shows, what: what, gap: lacks, upto: s.m.o.Store.Last(), twice: newTwice()}
}

// isNew reports whether a line of the stream was not filled in already.
func (p *past) isNew(e telemetry.Entry) bool {
	return p.twice.quiet() || p.twice.heard(p.s.m.o.Store.Stored(e))
}

// fill fills in the past of a started stream, in parallel to it. The function that it returns ends the filling and reports whether it
// was complete.
func (s *stream) fill(ctx context.Context, p *past) (ended func() bool) {
	if p == nil {
		return func() bool { return true }
	}
	ctx, cancel := context.WithCancel(ctx)
	done, over := false, make(chan struct{})
	s.mu.Lock()
	s.filling = over
	s.mu.Unlock()
	go func() {
		defer close(over)
		done = p.fill(ctx)
	}()
	return func() bool {
		cancel()
		<-over
		return done
	}
}

// fill reports whether the gap is closed as far as possible.
func (p *past) fill(ctx context.Context) bool {
	select {
	case p.s.m.fills <- struct{}{}:
		defer func() { <-p.s.m.fills }()
	case <-ctx.Done():
		return false
	}
	defer p.twice.end()
	now := p.s.m.o.Now()
	start := now.Add(-pastOfApp)
	if p.s.spec.all {
		start = now.Add(-pastOfAll)
	}
	if p.gap.why != "" && p.gap.from.IsZero() {
		p.gap.from = p.lastStored(ctx)
	}
	whole := p.gap.from.After(start)
	if whole {
		start = p.gap.from
	}
	p.remember(ctx, start)
	lines, left, err := p.read(ctx, start)
	if ctx.Err() != nil {
		return false
	}
	for _, e := range lines {
		if p.twice.shown(p.s.m.o.Store.Stored(e)) {
			p.feed.Add(e)
		}
	}
	if n, what := p.missing(whole, left, start, err); what != "" {
		p.feed.Lose(n, what)
	}
	return true
}

// of selects the store's entries of this log from before the stream.
func (p *past) of(q telemetry.Query) telemetry.Query {
	q.Upto, q.Device, q.App, q.Sources = p.upto, p.s.spec.udid, p.s.spec.app, []telemetry.Source{telemetry.Simulator}
	return q
}

// lastStored is the time of the last stored line; zero without one.
func (p *past) lastStored(ctx context.Context) (at time.Time) {
	if page, err := p.s.m.o.Store.Query(ctx, p.of(telemetry.Query{Limit: 1})); p.upto > 0 && err == nil && len(page.Entries) > 0 {
		at = page.Entries[0].Time
	}
	return at
}

// remember records the stored lines in the time of the gap, from an earlier stream or an earlier daemon.
func (p *past) remember(ctx context.Context, start time.Time) {
	if p.upto == 0 {
		return
	}
	page, err := p.s.m.o.Store.Query(ctx, p.of(telemetry.Query{Since: start.Add(-backlash), Limit: mostPast}))
	if err != nil {
		return // a repeated line is better than a missing one
	}
	for _, e := range page.Entries {
		p.twice.stored(e)
	}
}

// read gives the newest lines since a time, oldest first, and the number of lines left out.
func (p *past) read(ctx context.Context, start time.Time) (lines []telemetry.Entry, left int64, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pastTime, fmt.Errorf("it did not end within %s", pastTime))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	next, bytes := 0, 0
	r := p.s.reader(func(e telemetry.Entry) {
		switch {
		case e.Time.Before(start): // the program rounds to whole seconds
		case len(lines) < mostPast:
			lines = append(lines, e)
		default:
			lines[next], next, left = e, (next+1)%mostPast, left+1
		}
	})
	err = p.shows.ShowLog(ctx, p.what, start, func(line string) {
		if bytes += len(line) + 1; bytes > mostShown {
			end(errTooMuch)
			return
		}
		r.line(line)
	})
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	return append(lines[next:len(lines):len(lines)], lines[:next]...), left, err
}

// missing describes the lines that could not be filled in; empty if no missing line is known.
func (p *past) missing(whole bool, left int64, start time.Time, err error) (int64, string) {
	why := p.gap.why
	switch {
	case err != nil:
		if why == "" {
			why = "the app logged them before the stream began"
		}
		return left, fmt.Sprintf("%s; reading them from the system failed: %v", why, err)
	case left > 0:
		if why == "" {
			why = "the app logged them before the stream began"
		}
		return left, fmt.Sprintf("%s; the newest %d were filled in", why, mostPast)
	case why == "":
		return 0, ""
	case !whole:
		return 0, fmt.Sprintf("%s; the system's lines since %s were filled in", why, start.Local().Format("15:04:05"))
	case p.s.spec.level != device.LogDefault:
		return 0, why + "; the system keeps info and debug lines only for a short time, so some may be missing"
	}
	return 0, ""
}
