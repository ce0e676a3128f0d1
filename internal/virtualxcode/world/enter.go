package world

import (
	"context"
	"time"
)

// enter takes the lock to read or touch a booted device, after all due actions on the device have happened. It waits without the lock
// for answers to requests of apps, because under RequestClock a request that is due must be answered first. The caller releases the
// lock with leave.
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

// leave saves d if due actions changed it, and releases the lock.
func (w *World) leave(d *device) error {
	defer w.mu.Unlock()
	return w.saveIfDirty(d)
}

// catchUp runs the due actions of d, if it runs. late is a request whose answer must come first. The caller holds the lock.
func (w *World) catchUp(d *device, now time.Time) (late <-chan struct{}) {
	if d.stateAt(now) != Booted {
		return nil
	}
	return d.advance(now)
}

// saveIfDirty saves d after a timer, an answer or a crash. A look at an unchanged device saves nothing.
func (w *World) saveIfDirty(d *device) error {
	if !d.dirty {
		return nil
	}
	return w.save(d)
}

// Close cancels the requests of apps and waits for their end. Apps see a lost connection.
func (w *World) Close() {
	w.session.Close()
}
