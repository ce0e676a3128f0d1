package quern_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
	crashops "ios-agent/internal/ops/crashes"
	"ios-agent/internal/surface/rest"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
	"ios-agent/test/goldenrows"
)

// noon is when the rows are asked.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// The devices of the log.
const (
	phone = "11111111-2222-3333-4444-555555555555"
	other = "00008030-001C2D3E4F50A02E"
)

// desk is quern's rows over a store, as HTTP serves them.
type desk struct {
	t     *testing.T
	store *telemetry.Store
	drop  string // where crash reports are found
	all   *op.Catalogue
	http  http.Handler
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	now := func() time.Time { return noon }
	store := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db"), Now: now})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	drop := t.TempDir()
	watch := crashes.New(crashes.Options{Drop: drop, Store: store, Every: -1})
	t.Cleanup(func() {
		if err := watch.Close(); err != nil {
			t.Error(err)
		}
	})
	c := op.NewCatalogue(catalogue.All(catalogue.Services{Telemetry: store, Now: now, Crashes: crashops.Services{Watch: watch}}), op.Options{})
	return &desk{t, store, drop, c, rest.Handler(c)}
}

// log stores what the rows are asked about: a simulator's log and its console, a physical device whose stream broke, and a build.
func (d *desk) log() {
	d.t.Helper()
	feed := func(s telemetry.State) *telemetry.Feed {
		s.Started = noon.Add(-10 * time.Minute)
		return d.store.Open(s)
	}
	sim := feed(telemetry.State{
		ID: "simlog-11111111", Type: "simctl_log_stream", Source: telemetry.Simulator, Device: phone, App: "com.example.shop",
		Status: "streaming",
	})
	console := feed(telemetry.State{
		ID: "console-11111111", Type: "console", Source: telemetry.Console, Device: phone, App: "com.example.shop", Status: "streaming",
	})
	cable := feed(telemetry.State{
		ID: "devlog-00008030", Type: "devicectl_console", Source: telemetry.Device, Device: other, Status: "streaming",
	})
	said := func(f *telemetry.Feed, ago time.Duration, level telemetry.Level, message string) {
		e := telemetry.Entry{Time: noon.Add(-ago), Process: "Shop", PID: 4242, Level: level, Message: message}
		if f == sim {
			e.Subsystem, e.Category, e.Raw = "com.example.shop", "cart", `{"eventMessage":"`+message+`"}`
		}
		if f == cable {
			e.Process, e.PID = "backboardd", 0
		}
		f.Add(e)
	}
	said(sim, 9*time.Minute, telemetry.Info, "the cart is empty")
	said(sim, 4*time.Minute, telemetry.Error, "request 17 failed: HTTP 401")
	said(sim, 3*time.Minute, telemetry.Error, "request 18 failed: HTTP 401")
	said(console, 2*time.Minute, telemetry.Notice, "hello from print()")
	said(sim, 100*time.Second, telemetry.Warning, "slow: 2041 ms")
	said(cable, 90*time.Second, telemetry.Debug, "Sandbox: backboardd(61) deny(1) mach-lookup com.example")
	said(cable, 80*time.Second, telemetry.Fault, "the screen went away")
	said(sim, 20*time.Second, telemetry.Notice, "Login succeeded")
	d.store.Add(telemetry.Entry{
		Time: noon.Add(-15 * time.Second), Device: phone, App: "com.example.shop", Process: "Shop", Source: telemetry.Crash,
		Level: telemetry.Fault, Message: "CRASH: Shop EXC_BREAKPOINT (SIGTRAP) @ Cart.total()",
	})
	cable.Status("error", fmt.Errorf("the device was unplugged"))
	if err := d.store.Flush(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// crash puts a report where one looks for it.
func (d *desk) crash(app string, ago time.Duration, udid string) {
	d.t.Helper()
	at := noon.Add(-ago)
	header := map[string]any{
		"app_name": app, "bug_type": "309", "bundleID": "com.example." + strings.ToLower(app),
		"timestamp":   at.Format("2006-01-02 15:04:05.00 -0700"),
		"incident_id": "00000000-0000-0000-0000-0000000000" + fmt.Sprintf("%02d", int(ago.Minutes())),
	}
	frames := []map[string]any{
		{"imageIndex": 1, "imageOffset": 4096, "symbol": "swift_unexpectedError", "symbolLocation": 12},
		{"imageIndex": 0, "imageOffset": 8192, "symbol": "Cart.total()", "symbolLocation": 20, "sourceFile": "Cart.swift", "sourceLine": 41},
	}
	for i := range 6 {
		frames = append(frames, map[string]any{"imageIndex": 0, "imageOffset": 9000 + i})
	}
	body := map[string]any{
		"procName": app, "pid": 4242, "captureTime": at.Format("2006-01-02 15:04:05.0000 -0700"), "faultingThread": 0,
		"exception": map[string]any{"type": "EXC_BREAKPOINT", "signal": "SIGTRAP", "codes": "0x0000000000000001, 0x00000001a2b3c4d5"},
		"threads":   []any{map[string]any{"triggered": true, "frames": frames}},
		"usedImages": []any{
			map[string]any{"name": app, "base": 4294967296, "uuid": "aaaaaaaa-0000-0000-0000-000000000000", "path": "/x/" + app + ".app/" + app},
			map[string]any{"name": "libswiftCore.dylib", "base": 8589934592, "path": "/usr/lib/swift/libswiftCore.dylib"},
		},
		"asi":      map[string]any{"libswiftCore.dylib": []string{"Fatal error: the cart is empty"}},
		"zzFiller": strings.Repeat("a report is long ", 300),
	}
	dir := filepath.Join(d.drop, udid)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	text := goldenrows.Compact(d.t, header) + "\n" + goldenrows.Compact(d.t, body)
	if err := os.WriteFile(filepath.Join(dir, app+".ips"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// ask sends a request and writes down what came back: the status, and the body without what differs from run to run.
func (d *desk) ask(request, body string) string {
	d.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	if method == "TOOL" { // a row without a route of its own
		o, err := d.all.Lookup(path)
		if err != nil {
			d.t.Fatal(err)
		}
		names := map[string]string{}
		for _, o := range d.all.Ops() {
			names[d.all.ID(o)] = o.Name
		}
		e := d.all.Run(d.t.Context(), d.all.ID(o), op.Call{Session: "s"}, []byte(body))
		status, raw := rest.Answer(o, wording.Tools(d.all, wording.Offer{Names: names}).Envelope(e, []byte(body)), []byte(body))
		return fmt.Sprintf("> %s %s\n%d\n%s\n", request, body, status, d.plain(raw))
	}
	r := httptest.NewRequestWithContext(d.t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	w := httptest.NewRecorder()
	d.http.ServeHTTP(w, r)
	return fmt.Sprintf("> %s\n%d\n%s\n", strings.TrimSpace(request+" "+body), w.Code, d.plain(w.Body.Bytes()))
}

func (d *desk) plain(raw []byte) string {
	d.t.Helper()
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		d.t.Fatalf("%v: %s", err, raw)
	}
	if object, is := whole.(map[string]any); is {
		delete(object, "meta")
		shorten(object["entries"], "raw")
		shorten(object["crashes"], "raw_text")
		for _, r := range asList(object["crashes"]) {
			file, _ := r["file_path"].(string)
			r["file_path"] = strings.TrimPrefix(file, d.drop)
		}
		if _, is := object["raw_line_count"]; is {
			object["id"] = "BUILD"
		}
	}
	return goldenrows.Lines(d.t, whole)
}

func asList(value any) (all []map[string]any) {
	list, _ := value.([]any)
	for _, item := range list {
		object, _ := item.(map[string]any)
		all = append(all, object)
	}
	return all
}

// shorten says of long texts only how long they are.
func shorten(list any, key string) {
	for _, object := range asList(list) {
		if text, _ := object[key].(string); len(text) > 200 {
			object[key] = fmt.Sprintf("%d bytes", len(text))
		}
	}
}

const output = "/p/Cart.swift:3:7: warning: variable 'x' was never used\n/p/Shop.swift:8:7: warning: variable 'total' was never used\n" +
	"/p/Cart.swift:9:5: error: cannot find 'sum' in scope\nld: warning: no platform load command\n" +
	"Test Case '-[ShopTests.CartTests testTotal]' started.\n" +
	"Test Case '-[ShopTests.CartTests testTotal]' passed (0.012 seconds).\n** BUILD FAILED **\n"

// TestRowsMatchGoldenFiles asks every row for what is usual, with filters, page by page, and wrongly. The golden files are read in review:
// they are what a client of quern's gets.
func TestRowsMatchGoldenFiles(t *testing.T) {
	build, err := json.Marshal(map[string]string{"output": output})
	if err != nil {
		t.Fatal(err)
	}
	at := func(ago time.Duration) string { return noon.Add(-ago).Format("2006-01-02T15:04:05Z") }
	for row, requests := range map[string][]string{
		"tail_logs": {
			`TOOL tail_logs {}`, `TOOL tail_logs {"count":2}`, `TOOL tail_logs {"level":"error","process":"Shop"}`,
			`TOOL tail_logs {"source":"console"}`, `TOOL tail_logs {"source":"app_drain"}`, `TOOL tail_logs {"count":"1"}`,
			`TOOL tail_logs {"count":0}`, `TOOL tail_logs {"count":1001}`, `TOOL tail_logs {"level":"loud"}`, `TOOL tail_logs {"source":"radio"}`,
			`TOOL tail_logs {"lines":5}`,
		},
		"query_logs": {
			"GET /api/v1/logs/query?limit=3", "GET /api/v1/logs/query?limit=3&offset=3", "GET /api/v1/logs/query?limit=3&offset=6",
			"GET /api/v1/logs/query?offset=9", "GET /api/v1/logs/query?level=warning&process=Shop", "GET /api/v1/logs/query?process=shop",
			"GET /api/v1/logs/query?search=HTTP%20401", "GET /api/v1/logs/query?search=http&limit=1", "GET /api/v1/logs/query?source=syslog",
			"GET /api/v1/logs/query?device_id=" + other, "GET /api/v1/logs/query?device_id=default&limit=1",
			"GET /api/v1/logs/query?since=" + at(100*time.Second) + "&until=" + at(80*time.Second),
			"GET /api/v1/logs/query?since=2026-03-01T12:59:30+01:00", "GET /api/v1/logs/query?since=2026-03-01T11:59:30&limit=1",
			"GET /api/v1/logs/query?since=yesterday", "GET /api/v1/logs/query?until=2026-02-30", "GET /api/v1/logs/query?limit=0",
			"GET /api/v1/logs/query?limit=1001", "GET /api/v1/logs/query?offset=-1", "GET /api/v1/logs/query?level=loud",
			"GET /api/v1/logs/query?source=radio", "GET /api/v1/logs/query?grep=x", "GET /api/v1/logs/query?limit=many",
		},
		"get_log_summary": {
			"GET /api/v1/logs/summary", "GET /api/v1/logs/summary?window=1m", "GET /api/v1/logs/summary?window=1h&process=Shop",
			"GET /api/v1/logs/summary?process=nobody", "GET /api/v1/logs/summary?since_cursor=c_AAAAAAAAAAc",
			"GET /api/v1/logs/summary?window=2h", "GET /api/v1/logs/summary?since_cursor=c_AAZKUJ_cYkA",
			"GET /api/v1/logs/summary?since_cursor=c_AAA", "GET /api/v1/logs/summary?since_cursor=now",
		},
		"get_errors": {
			"GET /api/v1/logs/errors", "GET /api/v1/logs/errors?limit=1", "GET /api/v1/logs/errors?include_crashes=false",
			"GET /api/v1/logs/errors?since=" + at(90*time.Second) + "&include_crashes=true", "GET /api/v1/logs/errors?limit=0",
			"GET /api/v1/logs/errors?since=soon", "GET /api/v1/logs/errors?include_crashes=perhaps",
		},
		"get_build_result": {
			"GET /api/v1/builds/latest", "POST /api/v1/builds/parse " + string(build), "GET /api/v1/builds/latest",
			"GET /api/v1/logs/query?source=build&level=error", "POST /api/v1/builds/parse {}", `POST /api/v1/builds/parse {"output":""}`,
			`POST /api/v1/builds/parse {"output":" \n"}`, `POST /api/v1/builds/parse {"log":"x"}`, "GET /api/v1/builds/latest?limit=1",
		},
		"get_latest_crash": {
			"GET /api/v1/crashes/latest", "GET /api/v1/crashes/latest?limit=1", "GET /api/v1/crashes/latest?udid=" + phone,
			"GET /api/v1/crashes/latest?udid=nobody", "GET /api/v1/crashes/latest?since=" + at(90*time.Second),
			"GET /api/v1/logs/query?source=crash&process=Till", "GET /api/v1/crashes/latest?limit=0", "GET /api/v1/crashes/latest?limit=101",
			"GET /api/v1/crashes/latest?since=today", "GET /api/v1/crashes/latest?process=Shop",
		},
		"set_log_filter": {
			`POST /api/v1/logs/filter {"source":"syslog","process":"Shop","exclude_patterns":["noise"]}`,
			`POST /api/v1/logs/filter {"source":"all","exclude_patterns":["one","two"]}`, `POST /api/v1/logs/filter {"source":"all"}`,
			`POST /api/v1/logs/filter {"source":"device"}`, `POST /api/v1/logs/filter {}`, `POST /api/v1/logs/filter {"source":"radio"}`,
			`POST /api/v1/logs/filter {"source":"all","exclude_patterns":[""]}`, `POST /api/v1/logs/filter {"source":"all","exclude_patterns":5}`,
		},
		"list_log_sources": {"GET /api/v1/logs/sources", "GET /api/v1/logs/sources?id=crash"},
	} {
		t.Run(row, func(t *testing.T) {
			d := newDesk(t)
			d.log()
			if row == "get_latest_crash" {
				d.crash("Till", 2*time.Minute, "")
				d.crash("Shop", time.Minute, phone)
			}
			var got strings.Builder
			for _, request := range requests {
				body := ""
				if i := strings.Index(request, " {"); i > 0 {
					request, body = request[:i], request[i+1:]
				}
				got.WriteString(d.ask(request, body))
			}
			goldenrows.Same(t, filepath.Join("testdata", "rows", row+".golden"), got.String())
		})
	}
}

// messages are those of an answer, in their order.
func (d *desk) messages(path string) (all []string) {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.http.ServeHTTP(w, httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
	var out struct{ Entries []struct{ Message string } }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		d.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	for _, e := range out.Entries {
		all = append(all, e.Message)
	}
	return all
}

// TestLogFilterHidesExcludedEntries: what a filter keeps out of its source is not shown, and is there again without it.
func TestLogFilterHidesExcludedEntries(t *testing.T) {
	d := newDesk(t)
	sim := d.store.Open(telemetry.State{ID: "sim", Source: telemetry.Simulator, Device: phone})
	console := d.store.Open(telemetry.State{ID: "console", Source: telemetry.Console, Device: phone})
	for _, e := range []telemetry.Entry{
		{Process: "Shop", Message: "cart"}, {Process: "Shop", Message: "NOISE of it"}, {Process: "Mail", Message: "post"},
	} {
		e.Time = noon
		sim.Add(e)
	}
	console.Add(telemetry.Entry{Time: noon, Process: "Mail", Message: "noise printed"})
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{`{"source":"syslog","process":"Nobody"}`, []string{"cart", "NOISE of it", "post", "noise printed"}},
		{`{"source":"simulator","process":"Shop","exclude_patterns":["noise"]}`, []string{"cart", "noise printed"}},
		{`{"source":"all","exclude_patterns":["NOISE"]}`, []string{"cart"}},
		{`{"source":"simulator"}`, []string{"cart", "post"}},
		{`{"source":"all"}`, []string{"cart", "NOISE of it", "post", "noise printed"}},
	} {
		d.ask("POST /api/v1/logs/filter", c.filter)
		if got := d.messages("/api/v1/logs/query"); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.filter, got, c.want)
		}
	}
}

// TestSummaryCursorMissesNoEntries: what arrives after it is told, however old its own time is, and nothing is told twice.
func TestSummaryCursorMissesNoEntries(t *testing.T) {
	d := newDesk(t)
	d.store.Add(telemetry.Entry{Time: noon, Process: "Shop", Level: telemetry.Error, Source: telemetry.Simulator, Message: "first"})
	summary := func(query string) (cursor string, errors int) {
		t.Helper()
		w := httptest.NewRecorder()
		d.http.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/api/v1/logs/summary"+query, nil))
		var out struct {
			Cursor string
			Errors int `json:"error_count"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return out.Cursor, out.Errors
	}
	cursor, errors := summary("")
	if errors != 1 || !strings.HasPrefix(cursor, "c_") {
		t.Errorf("%d errors, %s", errors, cursor)
	}
	d.store.Add(telemetry.Entry{Time: noon.Add(-time.Hour), Process: "Shop", Level: telemetry.Fault, Source: telemetry.Crash, Message: "late"})
	again, errors := summary("?since_cursor=" + cursor)
	if errors != 1 || again == cursor {
		t.Errorf("a report of an hour ago: %d errors, %s after %s", errors, again, cursor)
	}
	if _, errors := summary("?since_cursor=" + again); errors != 0 {
		t.Errorf("%d errors are told twice", errors)
	}
}
