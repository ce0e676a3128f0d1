package xctest

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

var _ device.Prober = (*phone)(nil)

// Probe runs the smallest program there is on the simulator: one that is booted and cannot spawn is of no use.
func (p *phone) Probe(ctx context.Context) error {
	_, err := p.driver.simctl().Running(ctx, p.info.UDID)
	return p.refused(err, fault.DeviceBroken)
}
