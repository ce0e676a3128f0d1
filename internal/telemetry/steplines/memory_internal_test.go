package steplines

import (
	"fmt"
	"testing"

	"ios-agent/internal/op"
)

// TestLongestUnusedSessionIsForgotten: a session that works is told what comes late, however many others came meanwhile.
func TestLongestUnusedSessionIsForgotten(t *testing.T) {
	lines := New(Options{})
	visit := func(i int) { lines.remember(op.Pair{Session: fmt.Sprint(i), UDID: "phone"}, told{step: "s1"}) }
	for i := range mostTold {
		visit(i)
	}
	visit(0) // it works again
	for i := range 10 {
		visit(mostTold + i)
	}
	for i, want := range map[int]bool{0: true, 1: false, 10: false, 11: true, mostTold + 9: true} {
		if _, known := lines.told.Get(op.Pair{Session: fmt.Sprint(i), UDID: "phone"}); known != want {
			t.Errorf("session %d is remembered: got %v, want %v", i, known, want)
		}
	}
}
