// Package quern is the product under quern's names and in its shapes: `mcp --tools quern` serves it alone. Its rows are
// views: each translates an input and an output to and from operations of package ops, and can do nothing else.
package quern

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/crashes"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/ops/touch"
)

// Family is what quern's names are called in the catalogue.
const Family = "quern"

// same are the rows whose name and shape is ours, or a part of ours.
var same = []string{
	"list_devices", "boot_device", "shutdown_device", "install_app", "terminate_app", "uninstall_app",
	"list_device_pool", "resolve_device", "claim_device", "release_device", "ensure_devices", "cleanup_devices", "refresh_devices",
	"set_location", "grant_permission", "ensure_server",
}

// twins are the operations of ours that do what a row of another name does.
var twins = map[string]string{
	"get_ui_tree": "snapshot", "get_screen_summary": "snapshot", "get_element_state": "get_element", "wait_for_element": "wait",
	"take_annotated_screenshot": "take_screenshot", "tap": "tap_element", "clear_text": "clear",
	"query_logs": "read_logs", "tail_logs": "read_logs", "get_errors": "read_logs", "get_log_summary": "summarize_logs",
	"get_build_result": "list_builds", "get_latest_crash": "list_crashes",
	"query_flows": "list_flows", "get_flow_detail": "show_flow", "get_flow_summary": "summarize_flows", "wait_for_flow": "wait_flow",
	"start_proxy": "proxy_start", "stop_proxy": "proxy_stop", "set_intercept": "proxy_hold", "clear_intercept": "proxy_unhold",
	"list_held_flows": "proxy_held", "release_flow": "proxy_release", "release_all_flows": "proxy_release_all", "replay_flow": "proxy_replay",
	"set_mock": "proxy_mock", "list_mocks": "proxy_mocks", "clear_mocks": "proxy_unmock", "set_proxy_filter": "proxy_set",
	"proxy_setup_guide": "proxy_guide", "get_proxy_cert": "proxy_cert", "update_mock": "proxy_mock", "configure_system_proxy": "proxy_set",
	"unconfigure_system_proxy": "proxy_set",
}

// Statuses are what quern's clients know, where our own are others: an input that breaks the schema is 422, what the caller has to
// name is 400, and what a tool could not do is 500.
func Statuses() *op.Statuses {
	return &op.Statuses{Name: "Quern", Misfit: http.StatusUnprocessableEntity, Codes: map[fault.Code]int{
		fault.DeviceAmbiguous:  http.StatusBadRequest,
		fault.Unsupported:      http.StatusBadRequest,
		fault.AppInstallFailed: http.StatusInternalServerError,
		fault.AppLaunchFailed:  http.StatusInternalServerError,
		fault.AppTerminate:     http.StatusInternalServerError,
		fault.ScreenshotFailed: http.StatusInternalServerError,
		fault.ToolFailed:       http.StatusInternalServerError,
		fault.OutcomeUnknown:   http.StatusInternalServerError,
		fault.NoFocus:          http.StatusInternalServerError,
		fault.Timeout:          http.StatusInternalServerError,
	}}
}

// With gives the core operations that quern's clients call by their routes the statuses that those clients know.
func With(own []op.Op) []op.Op {
	own = slices.Clone(own)
	for i, o := range own {
		if o.Name == launch || slices.Contains(same, o.Name) {
			own[i].Statuses = Statuses()
		}
	}
	return own
}

// launch is the row that shows less than ours.
const launch = "launch_app"

// RouteOf names the core operation whose route a row has over HTTP where it has none of its own. quern asks /health whether the
// server is there; over MCP the tool tells more.
func RouteOf(row string) string {
	switch row {
	case "ensure_server":
		return "health"
	case "tail_logs": // which turns the answer round
		return "query_logs"
	}
	return row
}

// Rooms are the operations of ours that quern's rows show.
type Rooms struct {
	Apps    *apps.Apps
	Crashes *crashes.Crashes
	Network *network.Network
	Said    logs.Said
	Screen  *screen.Screen
	System  *system.System
	Touch   *touch.Touch
	Core    []op.Op // all of ours: some are quern's by another route
}

// op is the operation of ours with a name. It panics when there is none: a row of it is a programming error.
func (r Rooms) op(name string) op.Op {
	i := slices.IndexFunc(r.Core, func(o op.Op) bool { return o.Name == name })
	if i < 0 {
		panic("quern: the core family has no operation " + name)
	}
	return r.Core[i]
}

type views struct{ core Rooms }

// Ops are quern's rows over the core operations.
func Ops(core Rooms) []op.Op {
	v := views{core}
	var all []op.Op
	for _, name := range same {
		all = append(all, core.op(name).In(Family))
	}
	plain := core.op(launch).In(Family).Spec // without our outline of the screen
	plain.Route, plain.Summary = op.None, "Launch an installed app; a device that the call names is booted"
	all = append(all, op.New(plain, core.Apps.Launch), op.New(op.Spec{
		Name: "take_screenshot", Family: Family, Groups: []string{"ui"}, Route: "GET /api/v1/device/screenshot",
		Summary: "Take a picture of the screen, half its size unless scale is given", Hints: op.ReadOnly, REST: op.REST{Picture: true},
		Timeout: time.Minute,
	}, v.screenshot), op.New(op.Spec{
		Name: "list_apps", Family: Family, Groups: []string{"app"}, Route: "GET /api/v1/device/app/list",
		Summary: "List the installed apps and which of them run", Hints: op.ReadOnly | op.Idempotent, Timeout: time.Minute,
	}, v.apps))
	all = slices.Concat(all, v.looking(), v.acting(), v.logging(), v.proxying())
	for i, row := range all {
		all[i].Twin, all[i].Statuses = cmp.Or(twins[row.Name], row.Name), notRunning(row.Name)
	}
	return all
}
