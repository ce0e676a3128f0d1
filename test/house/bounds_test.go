package house_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/house"
)

// TestMCPSessionsAreBounded: a client that opens sessions and never ends them is refused at some point, whatever names it gives.
func TestMCPSessionsAreBounded(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	handler, key := h.HTTP()
	open := func(i int) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
				`"clientInfo":{"name":"x","version":"1"}}}`))
		r.Header.Set("X-API-Key", key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(rest.SessionHeader, fmt.Sprint("s", i%7))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for i := range 256 {
		if w := open(i); w.Code != http.StatusOK {
			t.Fatalf("session %d: %d %s", i, w.Code, w.Body)
		}
	}
	w := open(256)
	if body := w.Body.String(); w.Code != http.StatusTooManyRequests || codeOf(w) != "TOO_MANY" || !strings.Contains(body, "256") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestInvalidQueryBytesAreRefused: bytes that are no text are refused, as in a body.
func TestInvalidQueryBytesAreRefused(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for _, path := range []string{"/api/v1/devices/pool?session=%ff%fe", "/api/v1/devices/pool?%ff=1", "/api/v1/devices/pool?session=%zz",
		"/api/v1/jobs/%ff"} {
		if w := h.REST("a", http.MethodGet, path, nil); codeOf(w) != "INVALID_INPUT" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestOldestSessionLosesRefsOnLargeScreen: sessions look at 6,000 elements, of which the agent sends 5,000. The one that did not call for
// the longest time loses its refs and its screen: they are expired, and it is told so.
func TestOldestSessionLosesRefsOnLargeScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("large screens take long")
	}
	h := house.New(t)
	udid := h.Boot("a", "")
	h.Must("a", "install_app", in{"app_path": largeApp(t)})
	h.Must("a", "launch_app", in{"bundle_id": "com.example.large"})
	first := house.Result[struct{ ID string }](h, h.Must("a", "snapshot", nil)).ID
	before := heap()
	for i := range 34 {
		h.Must(fmt.Sprint("s", i), "snapshot", in{"udid": udid})
	}
	if held := heap() - before; held > 80<<20 { // 64 MB for refs and screens; the world and the agent are in this process, too
		t.Errorf("the sessions hold %d MB", held>>20)
	}
	e := h.Call("a", "tap_element", in{"ref": "@e1"})
	if e.Error == nil || e.Error.Code != fault.RefExpired || e.Error.Hint == "" || !strings.Contains(e.Text(), "is forgotten") {
		t.Errorf("an old ref: %.300s", e.Text())
	}
	if e := h.Must("a", "tap_element", in{"identifier": "item-1"}); strings.Contains(e.Text(), "is forgotten") {
		t.Errorf("it is told again: %.300s", e.Text())
	}
	e = h.Must("s0", "snapshot", in{"since": first, "udid": udid})
	if !strings.Contains(e.Stdout, "; this is the whole screen") {
		t.Errorf("since a screen that is forgotten: %.300s", e.Stdout)
	}
	e = h.Must("s33", "snapshot", in{"since": first, "within": "@e1", "udid": udid})
	if !strings.Contains(e.Stdout, "unchanged since "+first) {
		t.Errorf("the last session: %.300s", e.Text())
	}
}

// largeApp writes an app with 6,000 buttons.
func largeApp(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Large.app")
	ui := "start: first\nscreens:\n  first:\n    title: Large\n    scroll: true\n    elements:\n"
	for i := range 12 {
		ui += fmt.Sprintf("    - repeat: {count: 500, from: %d, each: {button: 'Item {index}', id: 'item-{index}'}}\n", 500*i)
	}
	info := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.large</string></dict></plist>`
	err := os.Mkdir(path, 0o700)
	for name, text := range map[string]string{"Info.plist": info, "ui.yaml": ui} {
		err = errors.Join(err, os.WriteFile(filepath.Join(path, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestManyCallsUseBoundedMemory: a daemon that was called many times by 1,000 sessions, rightly and wrongly, holds what it remembers of the
// sessions, and nothing of the calls. IOS_AGENT_SOAK_CALLS=50000 makes more of them.
func TestManyCallsUseBoundedMemory(t *testing.T) {
	calls, _ := strconv.Atoi(cmp.Or(os.Getenv("IOS_AGENT_SOAK_CALLS"), "1000"))
	if testing.Short() {
		calls = 100
	}
	h := house.New(t)
	udid := h.Boot("a", "com.iosagent.shop")
	round := func(n int) {
		for i := range n {
			name := fmt.Sprintf("session-%d", i/10%1000)
			switch i % 10 {
			case 0:
				h.Call(name, "snapshot", in{"udid": udid})
			case 1:
				h.Call(name, "job_status", in{"job": fmt.Sprint("job", i)})
			case 2:
				h.Call(name, fmt.Sprint("no_such_operation_", i), nil)
			case 3:
				h.REST(name, http.MethodGet, fmt.Sprintf("/api/v1/devices/pool?x%d=1", i), nil)
			case 4:
				h.Call(name, "session_set_defaults", in{"scheme": strings.Repeat("x", 1000)})
			case 5:
				h.Call(name, "list_devices", nil)
			default:
				h.Call(name, "show_step", in{"step": fmt.Sprint("s", i)})
			}
		}
	}
	round(200)
	before := heap()
	round(calls)
	// A session has about 9 KB: a dozen refs, defaults with a text of 1,000 bytes, its place in tables. The record of the last 10,000
	// calls and the reports of the virtual world take the rest. It does not grow with the calls that follow.
	if grown, most := heap()-before, int64(5<<20+min(calls/10, 1000)*(12<<10)); grown > most {
		t.Errorf("%d KB more after %d calls; %d are expected", grown>>10, calls, most>>10)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
