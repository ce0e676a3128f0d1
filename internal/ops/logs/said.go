package logs

import (
	"context"
	"time"

	"ios-agent/internal/telemetry"
)

// Settle waits until what the app of a device has said so far is in the store.
type Settle func(ctx context.Context, udid, app string) error

// Said is what apps, devices and builds said, for the views of other families.
type Said struct {
	*telemetry.Store
	Now    func() time.Time
	settle Settle
}

// NewSaid makes the store of lines as views ask it.
func NewSaid(d Deps) Said { return Said{d.Store, d.Now, d.Settle} }

// Settle waits until what was said before the call can be found.
func (s Said) Settle(ctx context.Context) error {
	if s.settle == nil {
		return s.Flush(ctx)
	}
	return s.settle(ctx, "", "")
}
