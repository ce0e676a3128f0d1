package ops

import (
	"fmt"
	"testing"
	"time"

	"ios-agent/internal/ops/network"
)

// TestStepMemoriesForgetTheLongestUnusedSession: a session that works is told what comes late, however many others came meanwhile.
func TestStepMemoriesForgetTheLongestUnusedSession(t *testing.T) {
	lines, flows := NewStepLines(nil, nil, nil).(*stepLines), NewStepFlows(nil, network.Services{}).(*stepFlows)
	began := time.Now()
	visit := func(i int) {
		at := spot{fmt.Sprint(i), "phone"}
		lines.remember(at, told{step: "s1"})
		flows.last(at, "s1", began)
	}
	for i := range mostTold {
		visit(i)
	}
	visit(0) // it works again
	for i := range 10 {
		visit(mostTold + i)
	}
	for i, want := range map[int]bool{0: true, 1: false, 10: false, 11: true, mostTold + 9: true} {
		at := spot{fmt.Sprint(i), "phone"}
		_, ofLines := lines.told.Get(at)
		_, ofFlows := flows.told.Get(at)
		if ofLines != want || ofFlows != want {
			t.Errorf("session %d is remembered: by its lines %v, by its flows %v; want %v", i, ofLines, ofFlows, want)
		}
	}
}
