package house_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/builds"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestQuernWaitsForAnEmptyValue: "" is a value like another one, and a condition on the value without one is refused.
func TestQuernWaitsForAnEmptyValue(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	h.Boot("quern-client", drivertest.Conformance)
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", in{"label": "Text Input"})
	const wait = "/api/v1/device/ui/wait-for-element"
	field := in{"identifier": "text-username-field", "condition": "value_equals", "value": "", "timeout": 0}
	wants(t, q.ask(http.StatusOK, "POST", wait, field), in{"matched": true})
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/tap-element", in{"identifier": "text-username-field"})
	q.ask(http.StatusOK, "POST", "/api/v1/device/ui/type", in{"text": "Ada"})
	wants(t, q.ask(http.StatusOK, "POST", wait, field), in{"matched": false, "last_state.value": "Ada"})
	delete(field, "value")
	q.ask(http.StatusBadRequest, "POST", wait, field)
}

// withoutIDB is a machine on which idb_companion is not installed.
var withoutIDB = house.Options{Programs: func(name string, tool host.Main) host.Main {
	if filepath.Base(name) == idb.Program {
		return nil
	}
	return tool
}}

// TestButtonsThatXCTestLacksArePressedByIDB: XCTest presses home alone on a simulator. Pressing a button is not aimed by what was seen, so
// idb does it where it is installed; where it is not, the fault names it. A driver that somebody chose is not replaced.
func TestButtonsThatXCTestLacksArePressedByIDB(t *testing.T) {
	t.Parallel()
	buttons := []string{"LOCK", "SIDE_BUTTON", "SIRI", "APPLE_PAY"}
	h := house.New(t)
	q := quernREST{h, t}
	h.Boot("quern-client", drivertest.Conformance)
	for _, name := range buttons {
		wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/press", in{"button": name}), in{"status": "ok", "meta.device.driver": "idb"})
	}
	wants(t, q.ask(http.StatusOK, "POST", "/api/v1/device/ui/press", in{"button": "HOME"}), in{"status": "ok", "meta.device.driver": nil})
	if e := h.Must("quern-client", "press_button", in{"button": "lock", "hold": 1}); e.Meta.Device.DrivenBecause == "" {
		t.Errorf("the core operation: got no reason for idb in %s", e.Text())
	}
	h.Must("quern-client", "session_set_defaults", in{"driver": "xctest"})
	e := h.Call("quern-client", "press_button", in{"button": "siri"})
	if e.Error == nil || e.Error.Code != "UNSUPPORTED" || !strings.Contains(e.Error.Hint, "--driver idb") {
		t.Errorf("with xctest chosen: got %s, want UNSUPPORTED and how to choose idb", e.Text())
	}

	h = house.New(t, withoutIDB)
	h.Boot("quern-client", drivertest.Conformance)
	for _, name := range buttons {
		w := h.REST("quern-client", "POST", "/api/v1/device/ui/press", in{"button": name})
		if said := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(said, "UNSUPPORTED") || !strings.Contains(said, "idb") {
			t.Errorf("%s without idb: got %d %s, want 400 and the driver that can", name, w.Code, said)
		}
	}
}

// TestQuernsToolsTakeADriver: the key that no schema lists, as the document on drivers says, over HTTP and MCP.
func TestQuernsToolsTakeADriver(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("quern-client", drivertest.Conformance)
	wants(t, quernREST{h, t}.ask(http.StatusOK, "GET", "/api/v1/device/ui?driver=idb", nil), in{"meta.device.driver": "idb"})
	q := quernMCP{h.MCP("quern-client", product.Serving{Tools: "quern"}), t}
	for tool, input := range map[string]in{
		"get_screen_summary": {}, "tap_element": {"label": "Controls"}, "wait_for_element": {"label": "Controls", "condition": "exists"},
		"take_screenshot": {},
	} {
		input["driver"] = "axe"
		if text, failed := q.text(tool, input); !failed || !strings.Contains(text, "idb") {
			t.Errorf("%s with a driver that is not there: got %s, want a refusal with the names of those that are", tool, text)
		}
	}
}

// TestQuernPictureHasRequestedFormat: its MIME type and its bytes, annotated or not.
func TestQuernPictureHasRequestedFormat(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("quern-client", drivertest.Conformance)
	for format, magic := range map[string]string{"jpeg": "\xff\xd8\xff", "png": "\x89PNG"} {
		for _, path := range []string{"screenshot", "screenshot/annotated"} {
			w := h.REST("quern-client", "GET", "/api/v1/device/"+path+"?format="+format, nil)
			got, is := w.Header().Get("Content-Type"), bytes.HasPrefix(w.Body.Bytes(), []byte(magic))
			if w.Code != http.StatusOK || got != "image/"+format || !is {
				t.Errorf("%s as %s: got %d, %s, %.4q", path, format, w.Code, got, w.Body.Bytes())
			}
		}
	}
}

// TestParseRefusesTextWithoutABuild: other text is refused, and the latest build stays the same.
func TestParseRefusesTextWithoutABuild(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	q := quernREST{h, t}
	q.ask(http.StatusOK, "POST", "/api/v1/builds/parse", in{"output": failedBuild})
	for _, text := range []string{"hello", "all is well\nthe deploy took 3 s\n"} {
		q.ask(http.StatusBadRequest, "POST", "/api/v1/builds/parse", in{"output": text})
	}
	wants(t, q.ask(http.StatusOK, "GET", "/api/v1/builds/latest", nil), in{"succeeded": false, "error_count": 1})
}

// TestTheLatestBuildIsOfTheCallersProject: a build of another project by another session is not shown to a client that has a folder.
func TestTheLatestBuildIsOfTheCallersProject(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	keep := func(r builds.Result) string {
		kept, err := builds.Keep(t.Context(), h.Product.Telemetry, r)
		if err != nil {
			t.Fatal(err)
		}
		return kept.ID
	}
	latest := func(session string) (id string) {
		out := house.Result[*struct{ ID string }](h, h.Must(session, "get_build_result", nil))
		if out != nil {
			id = out.ID
		}
		return id
	}
	keep(builds.Result{Project: "/elsewhere/Till/Till.xcodeproj", Session: "other"})
	if got := latest("mine"); got != "" {
		t.Errorf("before a build of its own: got %q, want none", got)
	}
	mine := keep(builds.Result{Project: filepath.Join(h.Home.String(), "Shop.xcodeproj"), Session: "cli"})
	keep(builds.Result{Project: "/elsewhere/Till/Till.xcodeproj", Session: "other"})
	if got := latest("mine"); got != mine {
		t.Errorf("got %q, want %q, which another session built in the caller's folder", got, mine)
	}
	if got := latest("other"); got == mine || got == "" {
		t.Errorf("got %q, want the build that the session made itself", got)
	}
}

// TestLogLinesAreOrderedByArrival: a line whose own time is earlier comes where it arrived, as the tools say.
func TestLogLinesAreOrderedByArrival(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	now := time.Now()
	for i, message := range []string{"now", "an hour ago", "a minute ago"} {
		at := now.Add(-[]time.Duration{0, time.Hour, time.Minute}[i])
		h.Product.Telemetry.Add(telemetry.Entry{Time: at, Process: "Walk", Level: telemetry.Error, Source: telemetry.Device, Message: message})
	}
	for tool, want := range map[string][]string{
		"query_logs": {"now", "an hour ago", "a minute ago"}, "tail_logs": {"a minute ago", "an hour ago", "now"},
	} {
		out := house.Result[struct{ Entries []struct{ Message string } }](h, h.Must("s", tool, in{"process": "Walk"}))
		var got []string
		for _, e := range out.Entries {
			got = append(got, e.Message)
		}
		o, err := h.Product.Catalogue.Lookup(tool)
		if err != nil || !slices.Equal(got, want) || strings.Contains(o.Summary, "oldest") || !strings.Contains(o.Summary, "arriv") {
			t.Errorf("%s: got %q, said %q, %v; want %q", tool, got, o.Summary, err, want)
		}
	}
}

// TestAMockKeepsItsContentTypeBesideOtherHeaders: only a header that says otherwise changes it.
func TestAMockKeepsItsContentTypeBesideOtherHeaders(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	q := quernREST{w.House, t}
	q.ask(http.StatusOK, "POST", "/api/v1/proxy/start", nil)
	for _, c := range []struct {
		headers in
		want    string
	}{
		{nil, "application/json"}, {in{"x-a": "b"}, "application/json"}, {in{"Content-Type": "text/plain"}, "text/plain"},
	} {
		q.ask(http.StatusOK, "POST", "/api/v1/proxy/mocks", in{"pattern": "~u /x", "response": in{"headers": c.headers, "body": "{}"}})
		rules, _ := q.ask(http.StatusOK, "GET", "/api/v1/proxy/mocks", nil)["rules"].([]any)
		rule, _ := rules[len(rules)-1].(map[string]any)
		headers, _ := rule["response"].(map[string]any)["headers"].(map[string]any)
		if got := headers["content-type"]; got != c.want {
			t.Errorf("with %v: got the content type %v, want %s", c.headers, got, c.want)
		}
	}
}

// TestQuernRefusesUnknownIDs: a mock and a device that are not there. A device that left lines or reports is known by them.
func TestQuernRefusesUnknownIDs(t *testing.T) {
	t.Parallel()
	h := newWire(t).House
	q := quernREST{h, t}
	udid := h.Boot("quern-client", drivertest.Conformance)
	q.ask(http.StatusOK, "POST", "/api/v1/proxy/start", nil)
	for _, c := range [][2]string{
		{"DELETE", "/api/v1/proxy/mock/mock_00000000"}, {"GET", "/api/v1/crashes/latest?udid=nobody"},
		{"GET", "/api/v1/logs/query?device_id=nobody"},
	} {
		q.ask(http.StatusNotFound, c[0], c[1], nil)
	}
	q.ask(http.StatusOK, "GET", "/api/v1/crashes/latest?udid="+udid, nil)
	q.ask(http.StatusOK, "GET", "/api/v1/logs/query?device_id="+udid, nil)
	h.Product.Telemetry.Add(telemetry.Entry{Device: "GONE", Source: telemetry.Device, Message: "the last word"})
	wants(t, q.ask(http.StatusOK, "GET", "/api/v1/logs/query?device_id=GONE", nil), in{"total": 1})
	q.ask(http.StatusOK, "GET", "/api/v1/logs/query?device_id=GONE&search=never", nil)
}
