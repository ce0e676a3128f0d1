package act

import (
	"testing"
	"time"

	"ios-agent/internal/ui"
)

// A text that counts was called an effect of a tap after which the app had hung for 30 s: nobody saw it rest meanwhile.
func TestHungLookDoesNotNarrowChangeTime(t *testing.T) {
	for look, want := range map[ui.Span]ui.Span{
		{From: time.Second, To: 2 * time.Second}:  {From: 1750 * time.Millisecond, To: 1900 * time.Millisecond},
		{From: time.Second, To: 31 * time.Second}: {From: time.Second, To: 31 * time.Second},
	} {
		if got := awaited(look, lag, 100*time.Millisecond); got != want {
			t.Errorf("%v: got %v, want %v", look, got, want)
		}
	}
}
