package quern

import (
	"cmp"
	"time"

	"ios-agent/internal/op"
)

// The tools of quern: the name of each, the core operation that does the same, if that has another name, and its route.
var (
	takeScreenshot = row("take_screenshot", "", "GET /api/v1/device/screenshot")
	listApps       = row("list_apps", "", "GET /api/v1/device/app/list")

	takeAnnotatedScreenshot = row("take_annotated_screenshot", "take_screenshot", "GET /api/v1/device/screenshot/annotated")
	getUITree               = row("get_ui_tree", "snapshot", "GET /api/v1/device/ui")
	getElementState         = row("get_element_state", "get_element", "GET /api/v1/device/ui/element")
	waitForElement          = row("wait_for_element", "wait", "POST /api/v1/device/ui/wait-for-element")
	getScreenSummary        = row("get_screen_summary", "snapshot", "GET /api/v1/device/screen-summary")

	tapElement  = row("tap_element", "", "POST /api/v1/device/ui/tap-element")
	tapTool     = row("tap", "tap_element", "POST /api/v1/device/ui/tap")
	swipeTool   = row("swipe", "", "POST /api/v1/device/ui/swipe")
	typeText    = row("type_text", "", "POST /api/v1/device/ui/type")
	clearText   = row("clear_text", "clear", "POST /api/v1/device/ui/clear")
	pressButton = row("press_button", "", "POST /api/v1/device/ui/press")

	setLogFilter     = row("set_log_filter", "", "POST /api/v1/logs/filter")
	parseBuildOutput = row("parse_build_output", "", "POST /api/v1/builds/parse")
	tailLogs         = row("tail_logs", "read_logs", op.None)
	queryLogs        = row("query_logs", "read_logs", "GET /api/v1/logs/query")
	getLogSummary    = row("get_log_summary", "summarize_logs", "GET /api/v1/logs/summary")
	getErrors        = row("get_errors", "read_logs", "GET /api/v1/logs/errors")
	getBuildResult   = row("get_build_result", "list_builds", "GET /api/v1/builds/latest")
	getLatestCrash   = row("get_latest_crash", "list_crashes", "GET /api/v1/crashes/latest")
	listLogSources   = row("list_log_sources", "", "GET /api/v1/logs/sources")
	streamLogs       = row("stream_logs", "", "GET /api/v1/logs/stream")

	listHeldFlows          = row("list_held_flows", "proxy_held", "GET /api/v1/proxy/intercept/held")
	waitForFlow            = row("wait_for_flow", "wait_flow", "POST /api/v1/proxy/flows/wait")
	replayFlow             = row("replay_flow", "proxy_replay", "POST /api/v1/proxy/replay/{flow_id}")
	setMock                = row("set_mock", "proxy_mock", "POST /api/v1/proxy/mock")
	listMocks              = row("list_mocks", "proxy_mocks", "GET /api/v1/proxy/mock")
	clearMocks             = row("clear_mocks", "proxy_unmock", "DELETE /api/v1/proxy/mock")
	updateMock             = row("update_mock", "proxy_mock", "PATCH /api/v1/proxy/mocks/{rule_id}")
	getProxyCert           = row("get_proxy_cert", "proxy_cert", "GET /api/v1/proxy/cert")
	queryFlows             = row("query_flows", "list_flows", "GET /api/v1/proxy/flows")
	getFlowDetail          = row("get_flow_detail", "show_flow", "GET /api/v1/proxy/flows/{flow_id}")
	getFlowSummary         = row("get_flow_summary", "summarize_flows", "GET /api/v1/proxy/flows/summary")
	proxyStatus            = row("proxy_status", "", "GET /api/v1/proxy/status")
	startProxy             = row("start_proxy", "proxy_start", "POST /api/v1/proxy/start")
	stopProxy              = row("stop_proxy", "proxy_stop", "POST /api/v1/proxy/stop")
	setIntercept           = row("set_intercept", "proxy_hold", "POST /api/v1/proxy/intercept")
	clearIntercept         = row("clear_intercept", "proxy_unhold", "DELETE /api/v1/proxy/intercept")
	releaseFlow            = row("release_flow", "proxy_release", "POST /api/v1/proxy/intercept/release")
	releaseAllFlows        = row("release_all_flows", "proxy_release_all", "POST /api/v1/proxy/intercept/release-all")
	setProxyFilter         = row("set_proxy_filter", "proxy_set", "POST /api/v1/proxy/filter")
	proxySetupGuide        = row("proxy_setup_guide", "proxy_guide", "GET /api/v1/proxy/setup-guide")
	configureSystemProxy   = row("configure_system_proxy", "proxy_set", "POST /api/v1/proxy/configure-system")
	unconfigureSystemProxy = row("unconfigure_system_proxy", "proxy_set", "POST /api/v1/proxy/unconfigure-system")
)

// same are the tools with the name and the shape of a core operation, or a part of its shape.
var same = []string{
	"list_devices", "boot_device", "shutdown_device", "install_app", "terminate_app", "uninstall_app",
	"list_device_pool", "resolve_device", "claim_device", "release_device", "ensure_devices", "cleanup_devices", "refresh_devices",
	"set_location", "grant_permission", "ensure_server",
}

// launch is the tool that shows less than the core operation.
const launch = "launch_app"

func row(name, twin, route string) op.Spec {
	return op.Spec{Name: name, Family: Family, Twin: cmp.Or(twin, name), Route: route}
}

const readOnly = op.ReadOnly | op.Idempotent

// tool is the spec of a tool.
func tool(row op.Spec, group, summary string, hints op.Hints, limit time.Duration) op.Spec {
	row.Groups, row.Summary, row.Hints, row.Timeout = []string{group}, summary, hints, limit
	return row
}
