// Package pause waits for a duration, and stops waiting when a context ends. For returns nil after the duration and otherwise the context's
// error, so that a loop need not handle a timer itself. Waiting with time.Sleep would ignore a call that was cancelled.
package pause

import (
	"context"
	"time"
)

// For waits for d. It returns early with the context's error when ctx ends first.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
