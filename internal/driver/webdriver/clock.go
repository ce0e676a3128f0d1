package webdriver

import (
	"context"
	"time"

	"ios-agent/internal/pause"
)

// Clock is how a look waits: no server waits for stillness.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// TimeOfDay is the clock of everybody.
type TimeOfDay struct{}

// Now is the time.
func (TimeOfDay) Now() time.Time { return time.Now() }

// Sleep waits, and says when ctx ended before.
func (TimeOfDay) Sleep(ctx context.Context, d time.Duration) error { return pause.For(ctx, d) }
