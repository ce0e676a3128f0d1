package deskapp

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/desktop"
)

// ears follow what an app tells of its windows, and know when it last did.
type ears struct {
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	count uint64
	at    time.Time     // of the last event; at first, when the app was opened: nobody knows what it told before
	more  chan struct{} // closed at the next event
	deaf  bool          // the app tells nothing any more
}

func listen(app desktop.App) *ears {
	ctx, stop := context.WithCancel(context.Background())
	e := &ears{stop: stop, done: make(chan struct{}), at: time.Now(), more: make(chan struct{}), count: app.Events()}
	go func() {
		defer close(e.done)
		for told := e.count; ; {
			err := app.Next(ctx, told)
			told = app.Events()
			if !e.hear(told, err) {
				return
			}
		}
	}()
	return e
}

// hear notes an event, and reports whether there may be more.
func (e *ears) hear(count uint64, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count, e.at, e.deaf = count, time.Now(), err != nil
	close(e.more)
	e.more = make(chan struct{})
	return err == nil
}

// heard is how many events there were, and when the last one was.
func (e *ears) heard() (count uint64, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count, e.at
}

// wait waits for an event after so many, for a time; false when none came.
func (e *ears) wait(ctx context.Context, after uint64, most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
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
				return true // whoever looks finds out why
			}
		case <-t.C:
			return false
		case <-ctx.Done():
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
