package agent

import (
	"math"
	"time"

	"ios-agent/internal/driver/agentwire"
)

const beatEvery = time.Second

// pulse tells the client every second, in real time, that its request is worked on. It has ended when stop returns. Versions
// before 3 know no pulses.
func (s *session) pulse(id uint32, during agentwire.Opcode) (stop func()) {
	if s.conn.Version() < 3 {
		return func() {}
	}
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
			stuck, silent := s.mood()
			if !silent && s.conn.WriteHeartbeat(id, agentwire.Pulse{StuckMS: stuck, During: during}) != nil {
				return // the client has left; the request goes on
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// mood is what there is to tell about the main thread: for how long it has not answered, or nothing at all.
func (a *Agent) mood() (stuckMS uint32, silent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stuckSince.IsZero() {
		return 0, a.silent
	}
	return uint32(min(time.Since(a.stuckSince).Milliseconds(), math.MaxUint32)), a.silent
}
