package house_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/telemetry"
	"ios-agent/test/house"
)

// twelve is an app with a dozen buttons of one label.
const twelve = "com.example.twelve"

func twelveApp(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Twelve.app")
	info := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>` + twelve +
		`</string><key>CFBundleDisplayName</key><string>Twelve</string></dict></plist>`
	screen := "start: list\nstate:\n  edited: 0\n  name: \"\"\nscreens:\n  list:\n    title: List\n    elements:\n" +
		"      - {text: \"Edited: {edited}\", id: edited}\n      - {field: Name, id: name-field, bind: name}\n" +
		strings.Repeat("      - button: Edit\n        do: [{add: {edited: 1}}]\n", 12)
	err := os.Mkdir(dir, 0o700)
	for name, text := range map[string]string{"Info.plist": info, "ui.yaml": screen} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// quernREST is a client of quern's HTTP server, which knows nothing of ours.
type quernREST struct {
	h *house.House
	t *testing.T
}

// ask wants a status and gives the body.
func (q quernREST) ask(status int, method, path string, body any) map[string]any {
	q.t.Helper()
	w := q.h.REST("quern-client", method, path, body)
	return q.read(w, status, method+" "+path)
}

func (q quernREST) read(w *httptest.ResponseRecorder, status int, what string) map[string]any {
	q.t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != status {
		q.t.Errorf("%s: %d, want %d: %.300s", what, w.Code, status, w.Body)
	}
	return out
}

// keyless asks without a key.
func (q quernREST) keyless(status int, path string) map[string]any {
	q.t.Helper()
	handler, _ := q.h.HTTP()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(q.t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
	return q.read(w, status, path+" without a key")
}

// wants compares values by a path of keys, such as "device.claimed_by".
func wants(t *testing.T, body map[string]any, want map[string]any) {
	t.Helper()
	for path, value := range want {
		var at any = body
		for key := range strings.SplitSeq(path, ".") {
			object, _ := at.(map[string]any)
			at = object[key]
		}
		if fmt.Sprint(at) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", path, at, value)
		}
	}
}

// TestAQuernRESTSession is written from quern's documents: its paths, parameters, bodies and statuses.
func TestAQuernRESTSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	for _, path := range []string{"/health", "/api/v1/health"} {
		health := q.keyless(http.StatusOK, path)
		wants(t, health, map[string]any{"status": "ok", "version": "test", "tools.simctl": true, "ui_cache.hits": 0})
		cache, _ := health["ui_cache"].(map[string]any)
		for _, key := range []string{"hits", "misses", "hit_rate_percent", "cached_devices", "ttl_ms", "cache_ages"} {
			if _, ok := cache[key]; !ok {
				t.Errorf("%s: ui_cache has no %s", path, key)
			}
		}
	}
	wants(t, q.keyless(http.StatusUnauthorized, "/api/v1/device/list"), map[string]any{"detail": "Invalid or missing API key"})

	// Nothing is booted: 400, and 404 for what is not there; what breaks the schema is 422 with a list.
	q.ask(http.StatusBadRequest, "GET", "/api/v1/device/ui", nil)
	q.ask(http.StatusNotFound, "POST", "/api/v1/devices/resolve", map[string]any{"name": "iPad Air 99"})
	for _, c := range []struct{ method, path, body, at, field string }{
		{"GET", "/api/v1/devices/pool?claimed=maybe", "", "query", "claimed"},
		{"GET", "/api/v1/device/screenshot?scale=2", "", "query", "scale"},
		{"GET", "/api/v1/device/screenshot?format=gif", "", "query", "format"},
		{"POST", "/api/v1/devices/ensure", `{"count":0}`, "body", "count"},
		{"GET", "/api/v1/logs/query?limit=1001", "", "query", "limit"},
		{"GET", "/api/v1/logs/summary?window=2h", "", "query", "window"},
		{"GET", "/api/v1/logs/errors?since=soon", "", "query", "since"},
		{"GET", "/api/v1/crashes/latest?limit=0", "", "query", "limit"},
		{"GET", "/api/v1/logs/stream?level=loud", "", "query", "level"},
		{"POST", "/api/v1/logs/filter", `{}`, "body", "source"},
		{"POST", "/api/v1/builds/parse", `{}`, "body", "output"},
		{"POST", "/api/v1/device/app/launch", `{}`, "body", "bundle_id"},
		{"POST", "/api/v1/device/ui/tap", `{"x":"left","y":1}`, "body", "x"},
		{"POST", "/api/v1/device/ui/wait-for-element", `{"label":"x","condition":"exists","timeout":61}`, "body", "timeout"},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		detail, _ := q.ask(http.StatusUnprocessableEntity, c.method, c.path, body)["detail"].([]any)
		if len(detail) == 0 {
			t.Errorf("%s: the detail is no list", c.path)
			continue
		}
		item, _ := detail[0].(map[string]any)
		for _, key := range []string{"type", "loc", "msg", "input"} {
			if _, ok := item[key]; !ok {
				t.Errorf("%s: the detail has no %s: %v", c.path, key, item)
			}
		}
		if fmt.Sprint(item["loc"]) != fmt.Sprint([]string{c.at, c.field}) {
			t.Errorf("%s: loc %v", c.path, item["loc"])
		}
	}
	// Our own rows are as they were.
	q.ask(http.StatusBadRequest, "GET", "/api/v1/device/snapshot?depth=deep", nil)

	found := q.ask(http.StatusOK, "POST", "/api/v1/devices/resolve",
		map[string]any{"name": "iPhone 16", "auto_boot": true, "session_id": "quern"})
	wants(t, found, map[string]any{"state": "booted", "claimed_by": "quern", "waited_seconds": 0})
	udid := found["udid"]
	q.ask(http.StatusConflict, "POST", "/api/v1/devices/claim", map[string]any{"udid": udid, "session_id": "other"})
	q.ask(http.StatusRequestTimeout, "POST", "/api/v1/devices/resolve",
		map[string]any{"udid": udid, "session_id": "other", "wait_if_busy": true, "wait_timeout": 1})
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/app/install", map[string]any{"app_path": twelveApp(t)}),
		map[string]any{"status": "installed", "udid": udid})
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/app/launch", map[string]any{"bundle_id": twelve}),
		map[string]any{"status": "launched", "udid": udid, "bundle_id": twelve})

	// Several fit: 200, all of them, each with its centre.
	several := q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", map[string]any{"label": "Edit"})
	wholeDozen(t, several)
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element",
		map[string]any{"identifier": "name-field", "skip_stability_check": true}),
		map[string]any{"status": "ok", "tapped.type": "TextField", "tapped.identifier": "name-field"})
	if _, told := q.ask(http.StatusBadRequest, "POST", "/api/v1/device/ui/tap-element", map[string]any{})["detail"].(string); !told {
		t.Error("a selector that is missing is told in one text")
	}
	q.ask(http.StatusNotFound, "POST", "/api/v1/device/ui/tap-element", map[string]any{"label": "No such"})
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/type", map[string]any{"text": "Ada"}),
		map[string]any{"status": "ok", "udid": udid})
	element, _ := q.ask(http.StatusOK, "GET", "/api/v1/device/ui/element?identifier=name-field", nil)["element"].(map[string]any)
	if frame, _ := element["frame"].(map[string]any); element["value"] != "Ada" || frame["width"] == nil || frame["height"] == nil {
		t.Errorf("the field is %v", element)
	}
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/devices/release", map[string]any{"udid": udid, "session_id": "quern"}),
		map[string]any{"status": "released", "udid": udid})
}

func wholeDozen(t *testing.T, several map[string]any) {
	t.Helper()
	matches, _ := several["matches"].([]any)
	if several["status"] != "ambiguous" || len(matches) != 12 || several["message"] == nil {
		t.Errorf("%v with %d matches: %v", several["status"], len(matches), several["message"])
	}
	for _, m := range matches {
		one, _ := m.(map[string]any)
		keys := slices.Sorted(maps.Keys(one))
		if !slices.Equal(keys, []string{"center_x", "center_y", "identifier", "label", "type"}) {
			t.Errorf("a match has %q", keys)
			return
		}
	}
}

// quernMCP is a client of quern's MCP server.
type quernMCP struct {
	*sdk.ClientSession
	t *testing.T
}

// call wants a tool to answer, or to fail, with one JSON text.
func (q quernMCP) call(tool string, input map[string]any) map[string]any {
	q.t.Helper()
	text, failed := q.text(tool, input)
	out := map[string]any{}
	if err := json.Unmarshal([]byte(text), &out); err != nil || failed {
		q.t.Errorf("%s: %.300s", tool, text)
	}
	return out
}

func (q quernMCP) text(tool string, input map[string]any) (text string, failed bool) {
	q.t.Helper()
	r, err := q.CallTool(q.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: input})
	if err != nil {
		q.t.Fatalf("%s: %v", tool, err)
	}
	said, _ := r.Content[0].(*sdk.TextContent)
	return said.Text, r.IsError
}

// TestAQuernMCPSession is written from quern's documents: the nine steps of its guide, by its tools and in its answers.
func TestAQuernMCPSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernMCP{h.MCP("quern-agent", product.Serving{Tools: "quern"}), t}
	instructions := q.InitializeResult().Instructions
	guide, err := q.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "quern://guide"})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := q.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	standsAlone(t, listed.Tools, "the instructions", instructions)
	standsAlone(t, listed.Tools, "the guide", guide.Contents[0].Text)
	pathsOfAll(t, h, listed.Tools, guide.Contents[0].Text)
	pathsOfQuern(t, h, listed.Tools, guide.Contents[0].Text)
	for _, want := range []string{
		"1. `resolve_device`", "2. `boot_device`", "3. `install_app`", "4. `get_screen_summary`", "5. `take_screenshot`", "6. `tap_element`",
		"7. `type_text`", "8. `clear_text`", "9. `get_screen_summary`", "**Tip**: `tap_element` is preferred over `tap`",
		"**Tip**: For parallel testing, use `ensure_devices`",
	} {
		if !strings.Contains(guide.Contents[0].Text, want) {
			t.Errorf("the guide lacks %q", want)
		}
	}

	server := q.call("ensure_server", nil)
	wants(t, server, map[string]any{"status": "running", "proxy_enabled": false})
	found := q.call("resolve_device", map[string]any{"name": "iPhone 16", "auto_boot": true})
	wants(t, found, map[string]any{"state": "booted", "name": "iPhone 16"})
	if _, claimed := found["claimed_by"]; claimed {
		t.Errorf("without a session_id it is claimed by %v", found["claimed_by"])
	}
	wants(t, q.call("boot_device", map[string]any{"udid": found["udid"]}), map[string]any{"status": "booted", "udid": found["udid"]})
	wants(t, q.call("install_app", map[string]any{"app_path": twelveApp(t)}), map[string]any{"status": "installed"})
	wants(t, q.call("launch_app", map[string]any{"bundle_id": twelve}), map[string]any{"status": "launched", "bundle_id": twelve})
	if text, _ := q.text("launch_app", map[string]any{"bundle_id": twelve}); strings.Contains(text, " [virtual]") ||
		!strings.HasPrefix(text, "{\n  \"") || !strings.Contains(text, `"toolchain": "virtual"`) {
		t.Errorf("the text is no indented JSON that says where it is from: %s", text)
	}
	wants(t, q.call("get_screen_summary", nil), map[string]any{"max_elements": 20, "udid": found["udid"]})
	wholeDozen(t, q.call("tap_element", map[string]any{"label": "Edit"}))
	wants(t, q.call("tap_element", map[string]any{"identifier": "name-field"}), map[string]any{"status": "ok", "tapped.type": "TextField"})
	wants(t, q.call("type_text", map[string]any{"text": "Ada"}), map[string]any{"status": "ok"})
	wants(t, q.call("clear_text", nil), map[string]any{"status": "ok"})
	wants(t, q.call("wait_for_element", map[string]any{"label": "No such", "condition": "exists", "timeout": 0}),
		map[string]any{"matched": false, "polls": 1})
	quernLogTools(t, h, q)
	for _, c := range []struct {
		tool  string
		input map[string]any
		begin string
	}{
		{"query_logs", map[string]any{"level": "loud"}, `Error: HTTP 422: {"detail":[{`},
		{"tail_logs", map[string]any{"count": 0}, `Error: HTTP 422: {"detail":[{`},
		{"get_errors", map[string]any{"since": "yesterday"}, `Error: HTTP 422: {"detail":[{`},
		{"get_log_summary", map[string]any{"since_cursor": "c_AAZKUJ_cYkA"}, `Error: HTTP 400: {"detail":"`},
		{"tap_element", map[string]any{"label": "No such"}, `Error: HTTP 404: {"detail":"`},
		{"wait_for_element", map[string]any{"label": "x", "condition": "exists", "timeout": 61}, `Error: HTTP 422: {"detail":[{`},
		{"resolve_device", map[string]any{"name": "iPad Air 99"}, `Error: HTTP 404: {"detail":"No device matching`},
	} {
		if text, failed := q.text(c.tool, c.input); !failed || !strings.HasPrefix(text, c.begin) {
			t.Errorf("%s %v: %.300s", c.tool, c.input, text)
		}
	}
}

// quernLogTools takes the steps of the guide about logs: the summary, the errors, the lines around them, a build, and what is new.
func quernLogTools(t *testing.T, h *house.House, q quernMCP) {
	t.Helper()
	if text, failed := q.text("get_build_result", nil); failed || !strings.Contains(text, "No build yet") {
		t.Errorf("without a build: %s", text)
	}
	wants(t, q.call("parse_build_output", map[string]any{"output": failedBuild}), map[string]any{"succeeded": false, "tests.failed": 1})
	wants(t, q.call("get_build_result", nil), map[string]any{"succeeded": false, "error_count": 1, "raw_line_count": 5})
	log := h.Product.Telemetry.Open(telemetry.State{ID: "walk", Source: telemetry.Simulator, Device: "WALK"})
	for _, message := range []string{"one", "two", "three"} {
		log.Add(telemetry.Entry{Time: time.Now(), Process: "Walk", Level: telemetry.Error, Message: message})
	}
	first := func(body map[string]any) any {
		list, _ := body["entries"].([]any)
		if len(list) == 0 {
			t.Fatalf("no entries: %v", body)
		}
		entry, _ := list[0].(map[string]any)
		return entry["message"]
	}
	mine := map[string]any{"process": "Walk", "count": "2"} // as a client that sends every value as a text
	if body := q.call("tail_logs", mine); first(body) != "three" || fmt.Sprint(body["total"]) != "2" {
		t.Errorf("the tail begins with %v of %v", first(body), body["total"])
	}
	if body := q.call("query_logs", map[string]any{"process": "Walk", "limit": 2}); first(body) != "one" || body["has_more"] != true {
		t.Errorf("the first page begins with %v, %v", first(body), body["has_more"])
	}
	wants(t, q.call("query_logs", map[string]any{"process": "Walk", "search": "THR"}), map[string]any{"total": 1, "has_more": false})
	summary := q.call("get_log_summary", map[string]any{"process": "Walk"})
	wants(t, summary, map[string]any{"window": "5m", "error_count": 3, "total_count": 3})
	wants(t, q.call("get_log_summary", map[string]any{"process": "Walk", "since_cursor": summary["cursor"]}), map[string]any{"total_count": 0})
	wants(t, q.call("set_log_filter", map[string]any{"source": "all", "exclude_patterns": []string{"secretive"}}),
		map[string]any{"status": "accepted"})
	log.Add(telemetry.Entry{Time: time.Now(), Process: "Walk", Level: telemetry.Error, Message: "a SECRETIVE line"})
	wants(t, q.call("query_logs", map[string]any{"process": "Walk"}), map[string]any{"total": 3})
	q.call("set_log_filter", map[string]any{"source": "all"})
}

var inTicks = regexp.MustCompile("`([^`]+)`")

// standsAlone holds a text against the set: it names no tool that is not there, and no file that a client cannot read.
func standsAlone(t *testing.T, tools []*sdk.Tool, what, text string) {
	t.Helper()
	has := map[string]bool{}
	for _, tool := range tools {
		has[tool.Name] = true
	}
	for _, m := range inTicks.FindAllStringSubmatch(text, -1) {
		o, err := product.Catalogue().Lookup(m[1])
		if err == nil && o.Name == m[1] && !has[m[1]] {
			t.Errorf("%s names %s, which is not in the set", what, m[1])
		}
	}
	for _, file := range []string{"docs/", ".md", "find_tools", "call_tool", "snapshot"} {
		if strings.Contains(text, file) {
			t.Errorf("%s speaks of %s:\n%s", what, file, text)
		}
	}
}

// pathsOfAll wants a row for each tool and no other, and each path to be served.
func pathsOfAll(t *testing.T, h *house.House, tools []*sdk.Tool, guide string) {
	t.Helper()
	rows := map[string][2]string{}
	row := regexp.MustCompile("(?m)^\\| *`?([a-z_]+)`? *\\| *([A-Z]+) *\\| *`?(/[^ `|]*)`? *\\|$")
	for _, m := range row.FindAllStringSubmatch(guide, -1) {
		rows[m[1]] = [2]string{m[2], m[3]}
	}
	for _, tool := range tools {
		row, ok := rows[tool.Name]
		if !ok {
			t.Errorf("the guide has no path of %s", tool.Name)
			continue
		}
		w := h.REST("quern-agent", row[0], row[1], `{"nonsense":1}`)
		if code := codeIn(w.Body.Bytes()); code == "UNKNOWN_OPERATION" || code == "METHOD_NOT_ALLOWED" {
			t.Errorf("%s: %s %s is %s", tool.Name, row[0], row[1], code)
		}
		delete(rows, tool.Name)
	}
	for name := range rows {
		t.Errorf("the guide has a path of %s, which is not in the set", name)
	}
	if want := [2]string{"GET", "/health"}; !strings.Contains(guide, want[1]) {
		t.Error("ensure_server is GET /health")
	}
}

// TestQuernReportsUnknownLabelAtOnce: quern looks once.
func TestQuernReportsUnknownLabelAtOnce(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", "com.iosagent.shop")
	before := h.World.Now()
	h.Call("ada", "quern_tap_element", map[string]any{"label": "No such"})
	if took := h.World.Now().Sub(before); took > 2*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestResolveClaimsForASessionOnly: without session_id a device is found, booted and made current, and nobody has it.
func TestResolveClaimsForASessionOnly(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	type found struct {
		UDID      string  `json:"udid"`
		State     string  `json:"state"`
		ClaimedBy *string `json:"claimed_by"`
		Active    bool    `json:"active"`
		WasBooted bool    `json:"was_booted"`
	}
	claims := func() int {
		return house.Result[struct{ Total int }](h, h.Must("eve", "list_device_pool", map[string]string{"claimed": "claimed"})).Total
	}
	one := house.Result[found](h, h.Must("ada", "resolve_device", map[string]any{"name": house.Device, "auto_boot": true}))
	if one.ClaimedBy != nil || one.State != "booted" || one.WasBooted || !one.Active || claims() != 0 {
		t.Errorf("%+v, %d claims", one, claims())
	}
	if now := current(h, "ada"); now != one.UDID {
		t.Errorf("ada's device is %q", now)
	}
	w := h.REST("bob", "POST", "/api/v1/devices/resolve", map[string]any{"name": house.Device})
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), one.UDID) || claims() != 0 {
		t.Errorf("two without a session get the same: %d %s", w.Code, w.Body)
	}
	mine := house.Result[found](h, h.Must("ada", "resolve_device", map[string]any{"name": house.Device, "session_id": "ada"}))
	if mine.UDID != one.UDID || mine.ClaimedBy == nil || *mine.ClaimedBy != "ada" || claims() != 1 {
		t.Errorf("%+v, %d claims", mine, claims())
	}
	// Another's claim keeps those without a session away, and its own device is still found.
	if e := h.Call("bob", "resolve_device", map[string]any{"udid": one.UDID}); e.Error == nil || e.Error.Code != "DEVICE_CLAIMED" {
		t.Errorf("bob gets ada's device: %s", e.Text())
	}
	again := house.Result[found](h, h.Must("ada", "resolve_device", map[string]any{"udid": one.UDID}))
	if again.UDID != one.UDID || claims() != 1 {
		t.Errorf("%+v, %d claims", again, claims())
	}
	if e := h.Call("bob", "resolve_device", map[string]any{"udid": one.UDID, "wait_if_busy": true, "wait_timeout": 1}); e.Error == nil ||
		e.Error.Code != "WAIT_TIMEOUT" {
		t.Errorf("a wait for ada's device: %s", e.Text())
	}
}

// TestRefusedClaimNamesTheHolder: the client, its folder and the times of the lease, on every surface, without a path of a home.
func TestRefusedClaimNamesTheHolder(t *testing.T) {
	t.Parallel()
	launch := map[string]any{"sim": house.Device, "bundle_id": "com.iosagent.shop"}
	for name, c := range map[string]struct {
		take   func(h *house.House) bool
		client string
		folder bool
	}{
		"mcp": {func(h *house.House) bool {
			r, err := h.MCP("ada", product.Serving{Tools: "core"}).CallTool(t.Context(), &sdk.CallToolParams{Name: "launch_app", Arguments: launch})
			return err == nil && !r.IsError
		}, "(house in …/", true},
		"cli": {func(h *house.House) bool {
			return h.CLI("ada", "launch", "com.iosagent.shop", "--sim", house.Device).Exit == 0
		}, "(cli in …/", true},
		"rest": {func(h *house.House) bool {
			return h.REST("ada", "POST", "/api/v1/device/app/launch", launch).Code == http.StatusOK
		}, "(http)", false},
	} {
		h := house.New(t)
		if !c.take(h) {
			t.Fatalf("%s does not launch", name)
		}
		tap := map[string]any{"sim": house.Device, "label": "Log in"}
		said := map[string]string{
			"call": h.Call("bob", "tap_element", tap).Text(),
			"cli":  h.CLI("bob", "tap", "--sim", house.Device, "--label", "Log in").Stderr,
			"rest": h.REST("bob", "POST", "/api/v1/ui/tap", tap).Body.String(),
			"pool": h.Call("bob", "resolve_device", map[string]any{"name": house.Device}).Text(),
		}
		want := []string{"already claimed by ada", c.client, "held for ", "free in at most "}
		if c.folder {
			want = append(want, filepath.Base(h.Home.String()))
		}
		for surface, text := range said {
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s does not say %q: %s", surface, part, text)
				}
			}
			if strings.Contains(text, h.Home.String()) {
				t.Errorf("%s names the whole path: %s", surface, text)
			}
		}
		if e := h.Must("bob", "list_device_pool", map[string]string{"claimed": "claimed"}); !strings.Contains(e.Stdout, c.client) {
			t.Errorf("the pool's list does not say which client: %s", e.Stdout)
		}
	}
}

// shape is the keys of a row's answer, and of what is inside of it.
type shape struct {
	tool  string
	input map[string]any
	keys  string // key:type of the answer, by spaces; a dot goes into an object, or into the first of a list
}

// failedBuild is what xcodebuild printed.
const failedBuild = "/p/Cart.swift:3:7: warning: variable 'x' was never used\n/p/Cart.swift:9:5: error: cannot find 'sum' in scope\n" +
	"Test Case '-[ShopTests.CartTests testTotal]' started.\n" +
	"Test Case '-[ShopTests.CartTests testTotal]' failed (0.012 seconds).\n** TEST FAILED **\n"

// TestQuernAnswersHaveItsKeys compares the answers of quern's rows, as far as they are there, with its tables. More keys are no
// harm; those that it has must be there and of its types.
func TestQuernAnswersHaveItsKeys(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernMCP{h.MCP("shapes", product.Serving{Tools: "quern"}), t}
	udid := h.Boot("shapes", "com.iosagent.shop")
	app := h.Files().App
	entry := func(at string) string {
		keys := "udid:string name:string state:string device_type:string os_version:string runtime:string claim_status:string is_available:bool"
		return at + strings.Join(strings.Fields(keys), " "+at)
	}
	element := func(at string) string {
		keys := "type:string label:string identifier:string value:any frame.x:number frame.y:number frame.width:number frame.height:number " +
			"enabled:bool role:string role_description:string help:any custom_actions:list"
		return at + strings.Join(strings.Fields(keys), " "+at)
	}
	line := func(at string) string {
		keys := "id:string timestamp:string device_id:string process:string subsystem:string category:string pid:any level:string " +
			"message:string source:string raw:string repeat_count:number"
		return at + strings.Join(strings.Fields(keys), " "+at)
	}
	build := "succeeded:bool errors.file:string errors.line:number errors.column:number errors.severity:string errors.message:string " +
		"warnings.message:string tests.passed:number tests.failed:number tests.total:number tests.duration:number " +
		"tests.failures.class_name:string tests.failures.method:string tests.failures.duration:number tests.failures.message:string " +
		"raw_line_count:number warning_groups.message:string warning_groups.count:number warning_groups.files:list warning_count:number"
	report := `{"app_name":"Shop","bug_type":"309","timestamp":"` + time.Now().Format("2006-01-02 15:04:05.00 -0700") + `"}` + "\n" +
		`{"procName":"Shop","faultingThread":0,"exception":{"type":"EXC_BREAKPOINT","signal":"SIGTRAP"},"threads":[{"frames":[]}]}`
	folder := filepath.Join(h.Home.String(), "crashes")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "Shop.ips"), []byte(report), 0o600)); err != nil {
		t.Fatal(err)
	}
	h.Product.Telemetry.Open(telemetry.State{ID: "simlog-test", Type: "simctl_log_stream", Source: telemetry.Simulator, Device: udid}).
		Add(telemetry.Entry{Time: time.Now(), Process: "Shop", PID: 7, Level: telemetry.Error, Message: "the cart is lost"})
	rows := []shape{
		{"ensure_server", nil, "status:string server_url:string proxy_port:number proxy_enabled:bool proxy_status:string " +
			"started_at:string pid:number"},
		{"list_devices", nil, "devices.udid:string devices.name:string devices.state:string devices.device_type:string " +
			"devices.os_version:string devices.runtime:string devices.is_available:bool tools:object active_udid:string"},
		{"boot_device", map[string]any{"udid": udid}, "status:string udid:string"},
		{"install_app", map[string]any{"app_path": app}, "status:string udid:string app_path:string"},
		{"launch_app", map[string]any{"bundle_id": "com.iosagent.shop"}, "status:string udid:string bundle_id:string"},
		{"list_apps", nil, "apps.bundle_id:string apps.name:string apps.app_type:string apps.architecture:string apps.install_type:string " +
			"apps.process_state:string udid:string"},
		{"get_ui_tree", nil, "element_count:number udid:string elements:list"},
		{"get_element_state", map[string]any{"identifier": "email-field"}, element("element.") + " udid:string"},
		{"wait_for_element", map[string]any{"identifier": "email-field", "condition": "exists"}, "matched:bool elapsed_seconds:number " +
			"polls:number udid:string " + element("element.")},
		{"wait_for_element", map[string]any{"identifier": "email-field", "condition": "disabled", "timeout": 0}, "matched:bool " +
			"last_state.type:string last_state.frame.width:number"},
		{"get_screen_summary", nil, "summary:string element_count:number element_types:object interactive_elements.type:string " +
			"interactive_elements.label:string truncated:bool total_interactive_elements:number max_elements:number udid:string"},
		{"tap", map[string]any{"x": 20, "y": 300}, "status:string udid:string x:number y:number"},
		{"tap_element", map[string]any{"identifier": "email-field"}, "status:string tapped.label:string tapped.type:string " +
			"tapped.identifier:string tapped.x:number tapped.y:number"},
		{"type_text", map[string]any{"text": "a@b.c"}, "status:string udid:string"},
		{"clear_text", nil, "status:string udid:string"},
		{"swipe", map[string]any{"start_x": 200, "start_y": 600, "end_x": 200, "end_y": 300}, "status:string udid:string"},
		{"press_button", map[string]any{"button": "HOME"}, "status:string udid:string"},
		{"set_location", map[string]any{"latitude": 1.5, "longitude": 2}, "status:string udid:string latitude:number longitude:number"},
		{"grant_permission", map[string]any{"bundle_id": "com.iosagent.shop", "permission": "photos"},
			"status:string udid:string bundle_id:string permission:string"},
		{"launch_app", map[string]any{"bundle_id": "com.iosagent.shop"}, "status:string"},
		{"terminate_app", map[string]any{"bundle_id": "com.iosagent.shop"}, "status:string udid:string bundle_id:string"},
		{"list_device_pool", nil, entry("devices.") + " total:number"},
		{"resolve_device", map[string]any{"udid": udid, "session_id": "shapes"}, "udid:string name:string state:string os_version:string " +
			"waited_seconds:number claimed_by:string"},
		{"claim_device", map[string]any{"udid": udid, "session_id": "shapes"}, "status:string " + entry("device.") +
			" device.claimed_by:string device.claimed_at:string device.last_used:string"},
		{"release_device", map[string]any{"udid": udid, "session_id": "shapes"}, "status:string udid:string"},
		{"ensure_devices", map[string]any{"count": 1, "session_id": "shapes"}, "devices.udid:string devices.name:string devices.state:string " +
			"total_available:number session_id:string"},
		{"cleanup_devices", nil, "status:string devices_released:list count:number"},
		{"refresh_devices", nil, "status:string device_count:number"},
		{"uninstall_app", map[string]any{"bundle_id": "com.iosagent.shop"}, "status:string udid:string bundle_id:string"},
		{"tail_logs", map[string]any{"source": "simulator"}, line("entries.") + " total:number sources:list"},
		{"query_logs", map[string]any{"source": "simulator"}, line("entries.") + " total:number has_more:bool sources:list"},
		{"get_errors", nil, line("entries.") + " total:number"},
		{"get_log_summary", nil, "window:string generated_at:string cursor:string summary:string error_count:number warning_count:number " +
			"total_count:number top_issues.pattern:string top_issues.count:number top_issues.first_seen:string top_issues.last_seen:string " +
			"top_issues.resolved:bool"},
		{"set_log_filter", map[string]any{"source": "syslog"}, "status:string note:string"},
		{"list_log_sources", nil, "sources.id:string sources.type:string sources.status:string sources.device_id:string " +
			"sources.entries_captured:number sources.started_at:any sources.error:any"},
		{"get_latest_crash", nil, "crashes.crash_id:string crashes.timestamp:string crashes.device_id:string crashes.process:string " +
			"crashes.exception_type:string crashes.exception_codes:string crashes.signal:string crashes.top_frames:list " +
			"crashes.file_path:string crashes.raw_text:string total:number"},
		{"parse_build_output", map[string]any{"output": failedBuild}, build},
		{"get_build_result", nil, build},
		{"shutdown_device", map[string]any{"udid": udid}, "status:string udid:string"},
	}
	covered := map[string]bool{"take_screenshot": true, "take_annotated_screenshot": true} // pictures have no body
	statuses := map[string]string{
		"boot_device": "booted", "shutdown_device": "shutdown", "install_app": "installed", "launch_app": "launched",
		"terminate_app": "terminated", "tap": "ok", "tap_element": "ok", "type_text": "ok", "clear_text": "ok", "swipe": "ok",
		"press_button": "ok", "set_location": "ok", "grant_permission": "ok", "claim_device": "claimed", "release_device": "released",
		"cleanup_devices": "cleaned", "refresh_devices": "refreshed", "uninstall_app": "uninstalled", "ensure_server": "running",
	}
	for _, row := range rows {
		covered[row.tool] = true
		t.Run(row.tool, func(t *testing.T) {
			body := quernMCP{q.ClientSession, t}.call(row.tool, row.input)
			for key := range strings.FieldsSeq(row.keys) {
				path, kind, _ := strings.Cut(key, ":")
				if problem := lacks(body, path, kind); problem != "" {
					t.Error(problem)
				}
			}
			if want, ok := statuses[row.tool]; ok && body["status"] != want {
				t.Errorf("status %v, want %s", body["status"], want)
			}
		})
	}
	for _, o := range h.Product.Catalogue.Ops() {
		if o.Family == "quern" && !covered[o.Name] && !o.Streams() && o.Group() != "network" { // TestAQuernProxySession has those
			t.Errorf("the table has no row of %s", o.Name)
		}
	}
}

func lacks(at any, path, kind string) string {
	for key := range strings.SplitSeq(path, ".") {
		if list, ok := at.([]any); ok && len(list) > 0 {
			at = list[0]
		}
		object, _ := at.(map[string]any)
		value, has := object[key]
		if !has {
			return fmt.Sprintf("there is no %s (at %s there is %q)", path, key, slices.Sorted(maps.Keys(object)))
		}
		at = value
	}
	is := map[string]bool{"any": true}
	switch at.(type) {
	case string:
		is["string"] = true
	case float64:
		is["number"] = true
	case bool:
		is["bool"] = true
	case []any:
		is["list"] = true
	case map[string]any:
		is["object"] = true
	}
	if !is[kind] {
		return fmt.Sprintf("%s is %v, which is no %s", path, at, kind)
	}
	return ""
}

// TestFromQuernDocListsMissingTools: what the document for teams that come from quern calls missing is missing.
func TestFromQuernDocListsMissingTools(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "from-quern.md"))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, o := range product.Catalogue().Ops() {
		has[o.Name] = has[o.Name] || o.Family == "quern"
	}
	_, missing, _ := strings.Cut(string(raw), "## Not there yet")
	named := regexp.MustCompile("`([a-z]+(_[a-z]+)+)`").FindAllStringSubmatch(missing, -1)
	for _, m := range named {
		if has[m[1]] {
			t.Errorf("%s is there", m[1])
		}
	}
	if len(named) != 4 {
		t.Errorf("4 rows of later versions are not there; the document names %d", len(named))
	}
}
