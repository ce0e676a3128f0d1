package house_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
