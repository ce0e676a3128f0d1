package agent

import (
	"context"
	"time"

	"ios-agent/internal/driver/agentwire"
)

const beatEvery = time.Second

// pulse sends the client a pulse every second, in real time, while its request runs. The returned context ends when the client leaves.
// The pulses have ended when stop returns. Protocol version 1 has no pulses.
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
			if stuck == 0 { // once stuck, the main queue stays stuck
				leave()
			}
			return
		}
	}()
	return working, func() { close(quit); <-ended; leave() }
}

// mainThread returns the state of the main thread for a pulse: how long it has not answered, or nil.
func (a *Agent) mainThread() (stuck time.Duration, silent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stuckSince.IsZero() {
		stuck = time.Since(a.stuckSince)
	}
	return stuck, a.silent
}
