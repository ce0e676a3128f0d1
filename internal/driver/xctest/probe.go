package xctest

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

var _ device.Prober = (*phone)(nil)

// Probe runs the smallest program on the simulator: a booted simulator that cannot spawn processes is broken.
func (p *phone) Probe(ctx context.Context) error {
	_, err := p.driver.simctl().Running(ctx, p.info.UDID)
	return p.refused(err, fault.DeviceBroken)
}
