package access

import (
	"context"

	"ios-agent/internal/device/appref"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// AppOn gives the bundle id of the app that a call names. It is for operations that need the id before they run in the device's lane.
func (d Access) AppOn(ctx context.Context, c *op.Call, t target.Target, what string) (string, error) {
	if err := appref.CheckApp(what); err != nil {
		return "", err
	}
	if appref.IsBundle(what) {
		return what, nil
	}
	h, _, err := d.Device(ctx, c, t)
	if err != nil {
		return "", err
	}
	return appref.BundleOf(ctx, h, what)
}
