package deskapp

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
)

// ears follow the events of an app and store the time of the last event.
type ears struct {
	app   desktop.App
	clock device.Clock
	stop  context.CancelFunc
	done  chan struct{}

	mu    sync.Mutex
	count uint64
	at    time.Time     // time of the last event, at first of the opening of the app: earlier events are unknown
	more  chan struct{} // closed at the next event
	deaf  bool          // the app sends no more events
}

func listen(app desktop.App, clock device.Clock) *ears {
	ctx, stop := context.WithCancel(context.Background())
	e := &ears{
		app: app, clock: clock, stop: stop, done: make(chan struct{}), at: clock.Now(), more: make(chan struct{}), count: app.Events(),
	}
	told := e.count
	go func() {
		defer close(e.done)
		for {
			err := app.Next(ctx, told)
			told = app.Events()
			if !e.hear(told, err) {
				return
			}
		}
	}()
	return e
}

// hear stores the result of a wait for events, and reports whether more may come.
func (e *ears) hear(count uint64, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.note(count)
	e.deaf = err != nil
	close(e.more)
	e.more = make(chan struct{})
	return err == nil
}

// note stores a higher number of events. The lock is held.
func (e *ears) note(count uint64) {
	if count > e.count {
		e.count, e.at = count, e.clock.Now()
	}
}

// heard returns the number of events and the time of the last one. The app counts an event before it reaches us.
func (e *ears) heard() (count uint64, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.note(e.app.Events())
	return e.count, e.at
}

// wait waits for an event beyond the given count, for a limited time; false if none came.
func (e *ears) wait(ctx context.Context, after uint64, most time.Duration) bool {
	if count, _ := e.heard(); count > after {
		return true
	}
	ctx, cancel := context.WithCancel(ctx)
	late := make(chan struct{})
	go func() {
		defer close(late)
		_ = e.clock.Sleep(ctx, most) // it ends early when the context does
	}()
	defer func() { cancel(); <-late }()
	return e.told(after, late)
}

// told reports whether an event beyond the given count comes before the time in late.
func (e *ears) told(after uint64, late <-chan struct{}) bool {
	for {
		e.mu.Lock()
		more, is := e.more, e.count > after
		e.mu.Unlock()
		if is {
			return true
		}
		select {
		case <-more:
			if e.isDeaf() {
				return true // the next look finds the reason
			}
		case <-late:
			return false
		}
	}
}

func (e *ears) isDeaf() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.deaf
}

func (e *ears) close() {
	e.stop()
	<-e.done
}
