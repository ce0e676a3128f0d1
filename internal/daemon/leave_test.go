package daemon

import (
	"testing"

	"ios-agent/internal/fault"
)

// TestLeavingDaemonRefusesNewCalls: a daemon leaves only when nothing is under way, and a call that comes in that moment is not begun, as
// it would be cancelled: its client finds another daemon.
func TestLeavingDaemonRefusesNewCalls(t *testing.T) {
	stopped := false
	s := &Server{catalogue: newBench(t).catalogue(), stop: func() { stopped = true }}
	end, err := s.begin()
	if err != nil {
		t.Fatal(err)
	}
	if s.leave(0) || stopped {
		t.Error("it leaves during a call")
	}
	end()
	if !s.leave(0) || !stopped {
		t.Error("it does not leave")
	}
	if _, err := s.begin(); fault.From(err).Code != fault.DaemonUnreachable || fault.From(err).Hint == "" {
		t.Errorf("a call begins, or says %v", err)
	}
}
