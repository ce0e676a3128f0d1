// Package pause waits.
package pause

import (
	"context"
	"time"
)

// For waits, and says when ctx ended before.
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
