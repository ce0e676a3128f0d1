package house_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/test/house"
)

// quernTable are quern's tools and the request of each: what its clients were written against. Its guide has them.
var quernTable = [][2]string{
	{"ensure_server", "GET /health"},
	{"tail_logs", "GET /api/v1/logs/query"},
	{"query_logs", "GET /api/v1/logs/query"},
	{"get_log_summary", "GET /api/v1/logs/summary"},
	{"get_errors", "GET /api/v1/logs/errors"},
	{"get_build_result", "GET /api/v1/builds/latest"},
	{"get_latest_crash", "GET /api/v1/crashes/latest"},
	{"set_log_filter", "POST /api/v1/logs/filter"},
	{"list_log_sources", "GET /api/v1/logs/sources"},
	{"query_flows", "GET /api/v1/proxy/flows"},
	{"get_flow_detail", "GET /api/v1/proxy/flows/{}"},
	{"get_flow_summary", "GET /api/v1/proxy/flows/summary"},
	{"proxy_status", "GET /api/v1/proxy/status"},
	{"start_proxy", "POST /api/v1/proxy/start"},
	{"stop_proxy", "POST /api/v1/proxy/stop"},
	{"set_intercept", "POST /api/v1/proxy/intercept"},
	{"clear_intercept", "DELETE /api/v1/proxy/intercept"},
	{"list_held_flows", "GET /api/v1/proxy/intercept/held"},
	{"release_flow", "POST /api/v1/proxy/intercept/release"},
	{"replay_flow", "POST /api/v1/proxy/replay/{}"},
	{"set_mock", "POST /api/v1/proxy/mock"},
	{"list_mocks", "GET /api/v1/proxy/mock"},
	{"clear_mocks", "DELETE /api/v1/proxy/mock"},
	{"list_devices", "GET /api/v1/device/list"},
	{"boot_device", "POST /api/v1/device/boot"},
	{"shutdown_device", "POST /api/v1/device/shutdown"},
	{"install_app", "POST /api/v1/device/app/install"},
	{"launch_app", "POST /api/v1/device/app/launch"},
	{"terminate_app", "POST /api/v1/device/app/terminate"},
	{"list_apps", "GET /api/v1/device/app/list"},
	{"take_screenshot", "GET /api/v1/device/screenshot"},
	{"get_ui_tree", "GET /api/v1/device/ui"},
	{"get_element_state", "GET /api/v1/device/ui/element"},
	{"wait_for_element", "POST /api/v1/device/ui/wait-for-element"},
	{"get_screen_summary", "GET /api/v1/device/screen-summary"},
	{"tap", "POST /api/v1/device/ui/tap"},
	{"tap_element", "POST /api/v1/device/ui/tap-element"},
	{"swipe", "POST /api/v1/device/ui/swipe"},
	{"type_text", "POST /api/v1/device/ui/type"},
	{"clear_text", "POST /api/v1/device/ui/clear"},
	{"press_button", "POST /api/v1/device/ui/press"},
	{"set_location", "POST /api/v1/device/location"},
	{"grant_permission", "POST /api/v1/device/permission"},
	{"list_device_pool", "GET /api/v1/devices/pool"},
	{"claim_device", "POST /api/v1/devices/claim"},
	{"release_device", "POST /api/v1/devices/release"},
	{"resolve_device", "POST /api/v1/devices/resolve"},
	{"ensure_devices", "POST /api/v1/devices/ensure"},
}

// rowsOfTheGuide finds the rows of the guide's table.
var rowsOfTheGuide = regexp.MustCompile("(?m)^\\| `([a-z_]+)` *\\| ([A-Z]+) *\\| `([^`]+)`")

// pathsOfQuern: each of quern's 48 tools is a tool of the set, stands in the guide with its method and path, and its path answers.
func pathsOfQuern(t *testing.T, h *house.House, tools []*sdk.Tool, guide string) {
	t.Helper()
	if len(quernTable) != 48 {
		t.Errorf("%d rows", len(quernTable))
	}
	listed, told := map[string]bool{}, map[string]string{}
	for _, tool := range tools {
		listed[tool.Name] = true
	}
	named := regexp.MustCompile(`\{\w+\}`)
	for _, m := range rowsOfTheGuide.FindAllStringSubmatch(guide, -1) {
		told[m[1]] = m[2] + " " + named.ReplaceAllString(m[3], "{}")
	}
	for _, row := range quernTable {
		name, want := row[0], row[1]
		if !listed[name] {
			t.Errorf("%s is no tool of the set", name)
		}
		if told[name] != want {
			t.Errorf("%s: the guide has %q, want %q", name, told[name], want)
		}
		// A wrong input is refused by the operation: then the request found it, and nothing is done.
		method, path, _ := strings.Cut(strings.ReplaceAll(want, "{}", "f_000000000000"), " ")
		var body any
		if method == http.MethodPost {
			body = map[string]any{"no_such_input": 1}
		} else {
			path += "?no_such_input=1"
		}
		w := h.REST("quern-client", method, path, body)
		if said := w.Body.String(); w.Code < 400 || w.Code == 404 || w.Code == 405 || !strings.Contains(said, "no_such_input") {
			t.Errorf("%s: %s", want, fmt.Sprint(w.Code, " ", said))
		}
	}
}
