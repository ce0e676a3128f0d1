package session_test

import (
	"fmt"
	"testing"
	"time"

	"ios-agent/internal/device/session"
)

func TestSessionLeavesAfterLastCall(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	c := session.NewCalls(func() time.Time { return now })
	left := func(name string, want bool) {
		t.Helper()
		if got := c.Left(name); got != want {
			t.Errorf("%s has left: got %v, want %v", name, got, want)
		}
	}
	left("of before", false)
	now = now.Add(session.Leaves - 1)
	c.Heard("ann")
	left("of before", false)
	now = now.Add(1)
	left("of before", true)
	left("ann", false)
	now = now.Add(session.Leaves - 2)
	left("ann", false)
	c.Heard("ann")
	now = now.Add(session.Leaves)
	left("ann", true)
	c.Heard("ann")
	left("ann", false)
	c.Leave("ann")
	left("ann", true)
	c.Heard("ann")
	left("ann", false)
}

// TestManySessionsDoNotRemoveActiveOne: more sessions than are known at once make no room for others that called a moment ago.
func TestManySessionsDoNotRemoveActiveOne(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	c := session.NewCalls(func() time.Time { return now })
	for i := range 20_000 {
		c.Heard(fmt.Sprint("s", i))
	}
	now = now.Add(session.Leaves - 1)
	c.Heard("s1")
	now = now.Add(1)
	for name, want := range map[string]bool{"s1": false, "s2": true, "s19999": true} {
		if got := c.Left(name); got != want {
			t.Errorf("%s has left: got %v, want %v", name, got, want)
		}
	}
	if c.Heard("new"); c.Left("new") {
		t.Error("a session that just called has left, when those before it have")
	}
}
