package world

import (
	"context"
	"slices"
	"time"
)

// busy is a time in which an app's main thread does not answer. The Store does not keep it: after a restart of the world the app
// answers again.
type busy struct{ since, until time.Time }

func (b busy) at(now time.Time) bool { return !now.Before(b.since) && now.Before(b.until) }

// clock is the time of the picture that an app shows: while it is busy the picture does not change.
func (b busy) clock(now time.Time) time.Time {
	if b.at(now) {
		return b.since
	}
	return now
}

// lateTouch is a touch that waits in an app's queue.
type lateTouch struct {
	at     time.Time
	bundle string
	finger finger
}

// delay queues a touch of the app in front until later.
func (d *device) delay(f finger, until time.Time) {
	d.late = append(d.late, lateTouch{until, d.Front, f})
	slices.SortStableFunc(d.late, func(a, b lateTouch) int { return a.at.Compare(b.at) })
}

// deliver carries out the touches that are due, each at its own time. Touches of an app that has left the front are lost.
func (d *device) deliver(now time.Time) {
	for len(d.late) > 0 && !d.late[0].at.After(now) {
		due := d.late[0]
		d.late = d.late[1:]
		if due.bundle != d.Front {
			continue
		}
		d.advance(due.at)
		due.finger.now = due.at
		if v := d.viewOf(due.bundle, due.at); v != nil {
			v.touch(due.finger)
		}
	}
}

// forgetUnderWay drops state that exists only while a device runs.
func (d *device) forgetUnderWay() { d.late, d.before, d.Alerts = nil, nil, nil }

// queryPatience is how long XCTest waits for an app that does not answer.
const queryPatience = 60 * time.Second

// untilAnswering waits until an app answers queries again, or fails after XCTest's patience. "" is the app in front.
func (w *World) untilAnswering(ctx context.Context, udid, bundle string) error {
	rest := w.busyFor(udid, bundle)
	if rest <= 0 {
		return nil
	}
	if err := w.clock.Sleep(ctx, min(rest, queryPatience)); err != nil {
		return err
	}
	if rest > queryPatience {
		return notResponding(bundle)
	}
	return nil
}

func (w *World) busyFor(udid, bundle string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return 0 // the next call returns the error
	}
	if bundle == "" {
		bundle = d.front()
	}
	now := w.clock.Now()
	if p := d.process(bundle); p != nil && p.busy.at(now) {
		return p.busy.until.Sub(now)
	}
	return 0
}
