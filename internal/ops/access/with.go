package access

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// With runs do with an ability of the call's device, in the device's lane.
func With[Ability any](ctx context.Context, d Access, c *op.Call, t target.Target, do func(Ability) error) (target.StatusOut, error) {
	h, _, err := d.Device(ctx, c, t)
	if err != nil {
		return target.StatusOut{}, err
	}
	a, err := device.As[Ability](h.Device)
	if err != nil {
		return target.StatusOut{}, err
	}
	if err := d.Do(ctx, h, func() error { return do(a) }); err != nil {
		return target.StatusOut{}, err
	}
	return target.StatusOut{Status: "ok", UDID: h.Info().UDID, Said: "on " + h.Info().Name}, nil
}
