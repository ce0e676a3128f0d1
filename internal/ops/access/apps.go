package access

import (
	"context"

	"ios-agent/internal/device/appref"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// AppOn gives the bundle id of an app that a call names, for calls that need it before they reach the device.
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
