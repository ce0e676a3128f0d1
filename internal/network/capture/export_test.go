package capture

import "time"

// ActsUntil says that a device is being driven until then.
func (c *Capture) ActsUntil(then time.Time) { c.acted.Store(then.UnixNano()) }
