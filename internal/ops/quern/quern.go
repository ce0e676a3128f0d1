// Package quern is the product under quern's names and in its shapes: `mcp --tools quern` serves it alone. Its rows are
// views: each translates an input and an output to and from operations of package ops, and can do nothing else.
package quern

import (
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/ops"
)

// family is what quern's names are called in the catalogue.
const family = "quern"

// same are the rows whose name and shape is ours, or a part of ours.
var same = []string{
	"list_devices", "boot_device", "shutdown_device", "install_app", "terminate_app", "uninstall_app", "list_apps",
	"list_device_pool", "resolve_device", "claim_device", "release_device", "ensure_devices", "cleanup_devices", "refresh_devices",
	"set_location", "grant_permission", "ensure_server",
}

type views struct{ core *ops.Core }

// Ops are quern's rows over the core operations.
func Ops(core *ops.Core) []op.Op {
	v := views{core}
	var all []op.Op
	for _, name := range same {
		all = append(all, core.Op(name).In(family))
	}
	launch := core.Op("launch_app").In(family).Spec // without our outline of the screen
	launch.Route, launch.Summary = op.None, "Launch an installed app; a device that the call names is booted"
	all = append(all, op.New(launch, core.Apps.Launch), op.New(op.Spec{
		Name: "take_screenshot", Family: family, Groups: []string{"ui"}, Route: "GET /api/v1/device/screenshot",
		Summary: "Take a picture of the screen, half its size unless scale is given", Hints: op.ReadOnly, Picture: true,
		Timeout: time.Minute,
	}, v.screenshot))
	return append(append(all, v.looking()...), v.acting()...)
}
