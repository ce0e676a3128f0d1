package world

import (
	"context"
	"sync"
	"time"
)

// Clock is the source of a world's time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with ctx's error when ctx ends first. It may be called from any goroutine.
	Sleep(ctx context.Context, d time.Duration) error
}

// RealClock is the time of day.
func RealClock() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// RequestClock is a clock whose time passes only by Sleep, which advances it at once and returns.
func RequestClock(start time.Time) Clock { return &requestClock{now: start} }

type requestClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *requestClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *requestClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
	return nil
}
