package house_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/surface/rest"
	"ios-agent/test/house"
)

// TestMCPSessionsAreBounded: a client that opens sessions and never ends them is refused at some point, whatever names it gives.
func TestMCPSessionsAreBounded(t *testing.T) {
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

// TestQueriesAreNotMended: bytes that are no text are refused, as in a body.
func TestQueriesAreNotMended(t *testing.T) {
	h := house.New(t)
	for _, path := range []string{"/api/v1/devices/pool?session=%ff%fe", "/api/v1/devices/pool?%ff=1", "/api/v1/devices/pool?session=%zz",
		"/api/v1/jobs/%ff"} {
		if w := h.REST("a", http.MethodGet, path, nil); codeOf(w) != "INVALID_INPUT" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestMemoryOfManyCalls: a daemon that was called many times by many sessions, rightly and wrongly, is as small as before.
// IOS_AGENT_SOAK_CALLS=50000 makes more of them.
func TestMemoryOfManyCalls(t *testing.T) {
	calls, _ := strconv.Atoi(cmp.Or(os.Getenv("IOS_AGENT_SOAK_CALLS"), "1000"))
	if testing.Short() {
		calls = 100
	}
	h := house.New(t)
	udid := h.Boot("a", "com.iosagent.shop")
	round := func(n int) {
		for i := range n {
			name := fmt.Sprintf("session-%d", i/10)
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
			default:
				h.Call(name, "list_devices", nil)
			}
		}
	}
	round(200)
	before := heap()
	round(calls)
	if grown := heap() - before; grown > 100<<20 { // what all sessions may hold together
		t.Errorf("%d MB more after %d calls", grown>>20, calls)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
