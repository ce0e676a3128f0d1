package access

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// StatusOut is the answer of a setting: quern's words.
type StatusOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`

	Said string `json:"-"` // in words
}

// Text says what was done.
func (o StatusOut) Text() string { return o.Said }

// With does something with an ability of the device that is meant, in its lane.
func With[Ability any](ctx context.Context, d Access, c *op.Call, t target.Target, do func(Ability) error) (StatusOut, error) {
	h, _, err := d.Device(ctx, c, t)
	if err != nil {
		return StatusOut{}, err
	}
	a, err := device.As[Ability](h.Device)
	if err != nil {
		return StatusOut{}, err
	}
	if err := d.Do(ctx, h, func() error { return do(a) }); err != nil {
		return StatusOut{}, err
	}
	return StatusOut{Status: "ok", UDID: h.Info().UDID, Said: "on " + h.Info().Name}, nil
}
