package stepflows

import (
	"fmt"
	"testing"
	"time"

	"ios-agent/internal/op"
)

// TestLongestUnusedSessionIsForgotten: an active session gets its late requests, however many other sessions came meanwhile.
func TestLongestUnusedSessionIsForgotten(t *testing.T) {
	flows := New(Options{})
	began := time.Now()
	visit := func(i int) { flows.last(op.Pair{Session: fmt.Sprint(i), UDID: "phone"}, "s1", began) }
	for i := range mostTold {
		visit(i)
	}
	visit(0) // it works again
	for i := range 10 {
		visit(mostTold + i)
	}
	for i, want := range map[int]bool{0: true, 1: false, 10: false, 11: true, mostTold + 9: true} {
		if _, known := flows.told.Get(op.Pair{Session: fmt.Sprint(i), UDID: "phone"}); known != want {
			t.Errorf("session %d is remembered: got %v, want %v", i, known, want)
		}
	}
}
