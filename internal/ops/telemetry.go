package ops

import (
	"context"
	"time"

	"ios-agent/internal/telemetry"
)

// Said is what apps, devices and builds said, for the views of other families.
type Said struct {
	*telemetry.Store
	Now    func() time.Time
	settle Settle
}

// NewSaid makes the store of lines as views ask it.
func NewSaid(d LogDeps) Said { return Said{d.Store, d.Now, d.Settle} }

// Settle waits until what was said before the call can be found.
func (s Said) Settle(ctx context.Context) error {
	if s.settle == nil {
		return s.Flush(ctx)
	}
	return s.settle(ctx, "", "")
}
