package ops

import (
	"time"

	"ios-agent/internal/telemetry"
)

// Said is what apps, devices and builds said, for the views of other families.
type Said struct {
	*telemetry.Store
	Now func() time.Time
}
