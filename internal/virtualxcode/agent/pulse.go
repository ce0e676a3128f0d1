package agent

import (
	"context"
	"time"

	"ios-agent/internal/driver/agentwire"
)

const beatEvery = time.Second

// pulse tells the client every second, in real time, that its request is worked on. The context that it returns ends when the
// client has left: nobody waits for the answer then. The pulses have ended when stop returns. Version 1 has none.
func (s *session) pulse(ctx context.Context, id uint32, during agentwire.Opcode) (working context.Context, stop func()) {
	if s.conn.Version() == 1 {
		return ctx, func() {}
	}
	working, leave := context.WithCancel(ctx)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			stuck, silent := s.mainThread()
			told := agentwire.Pulse{StuckMS: clamp(stuck.Milliseconds()), During: during}
			if silent || s.conn.WriteHeartbeat(id, told) == nil {
				continue
			}
			if stuck == 0 { // what is stuck stays so
				leave()
			}
			return
		}
	}()
	return working, func() { close(quit); <-ended; leave() }
}

// mainThread is what there is to tell about the main thread: for how long it has not answered, or nothing at all.
func (a *Agent) mainThread() (stuck time.Duration, silent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stuckSince.IsZero() {
		stuck = time.Since(a.stuckSince)
	}
	return stuck, a.silent
}
