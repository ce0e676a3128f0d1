package quern

import (
	"context"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/target"
)

// appsOut is quern's answer.
type appsOut struct {
	Apps []appOut `json:"apps"`
	UDID string   `json:"udid"`
}

// appOut is an app with quern's keys. quern, too, leaves the architecture and the install type empty.
type appOut struct {
	device.App
	Architecture string `json:"architecture"`
	InstallType  string `json:"install_type"`
	State        string `json:"process_state"` // Running, or empty
}

func (v views) apps(ctx context.Context, c *op.Call, in deviceIn) (appsOut, error) {
	listed, err := v.core.Apps.List(ctx, c, apps.ListAppsIn{Target: target.Target{UDID: in.UDID}})
	out := appsOut{Apps: make([]appOut, len(listed.Apps)), UDID: listed.UDID}
	for i, a := range listed.Apps {
		if out.Apps[i].App = a; a.PID > 0 {
			out.Apps[i].State = "Running"
		}
	}
	return out, err
}
