package world

import (
	"context"
	"time"
)

// enter takes the lock for a look at a booted device, or a touch, when everything has happened on it that was due. What
// an app waits for from outside is waited for without the lock: a world under RequestClock does not go on before the
// answers are there that came in the time that has passed. Who entered leaves.
func (w *World) enter(ctx context.Context, udid string) (*device, time.Time, error) {
	return w.enterIf(ctx, udid, func(s State) error {
		if s != Booted {
			return wrongState("lookup", s)
		}
		return nil
	})
}

// enterIf is enter for a device in a state that allowed does not refuse.
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

// leave keeps what has happened on d by itself since it was last kept, and gives the lock back.
func (w *World) leave(d *device) error {
	defer w.mu.Unlock()
	return w.keepStirred(d)
}

// catchUp lets happen on d what is due, if it runs; late is what has to come first from outside. The caller holds the
// lock.
func (w *World) catchUp(d *device, now time.Time) (late <-chan struct{}) {
	if d.stateAt(now) != Booted {
		return nil
	}
	return d.advance(now)
}

// keepStirred saves d if something happened on it that nobody asked for: a timer, an answer, a crash. So a mere look
// loses nothing, and costs nothing when nothing happened.
func (w *World) keepStirred(d *device) error {
	if !d.stirred {
		return nil
	}
	return w.save(d)
}

// Close ends what the world has under way outside of itself, and waits for it. Apps see it as a lost connection.
func (w *World) Close() {
	w.session.Close()
}
