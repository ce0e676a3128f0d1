package world

import (
	"context"
	"time"
)

// enter takes the lock to read or touch a booted device, after everything that was due has happened on it. It waits for
// answers to requests of apps without the lock: under RequestClock a request that is due must be answered first. The
// caller gives the lock back, with leave.
func (w *World) enter(ctx context.Context, udid string) (*device, time.Time, error) {
	return w.enterIf(ctx, udid, func(s State) error {
		if s != Booted {
			return wrongState("lookup", s)
		}
		return nil
	})
}

// enterIf is enter for a device whose state allowed accepts.
func (w *World) enterIf(ctx context.Context, udid string, allowed func(State) error) (*device, time.Time, error) {
	for {
		w.mu.Lock()
		now := w.clock.Now()
		d, err := w.device(udid)
		if err == nil {
			err = allowed(d.stateAt(now))
		}
		if err != nil {
			w.mu.Unlock()
			return nil, now, err
		}
		late := w.catchUp(d, now)
		if late == nil {
			return d, now, nil
		}
		w.mu.Unlock()
		if err := wait(ctx, late); err != nil {
			return nil, now, err
		}
	}
}

// leave saves d if something has happened on it by itself, and gives the lock back.
func (w *World) leave(d *device) error {
	defer w.mu.Unlock()
	return w.saveIfDirty(d)
}

// catchUp lets happen on d what is due, if it runs. late is the answer to a request that has to come first. The caller
// holds the lock.
func (w *World) catchUp(d *device, now time.Time) (late <-chan struct{}) {
	if d.stateAt(now) != Booted {
		return nil
	}
	return d.advance(now)
}

// saveIfDirty saves d if something happened on it by itself: a timer, an answer, a crash. A look at a device on which
// nothing happened saves nothing.
func (w *World) saveIfDirty(d *device) error {
	if !d.dirty {
		return nil
	}
	return w.save(d)
}

// Close cancels the requests of apps and waits until they have ended. Apps see a lost connection.
func (w *World) Close() {
	w.session.Close()
}
