package house_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
	"ios-agent/test/house"
)

// sse is a client of server-sent events over TCP.
type sse struct {
	*http.Response
	lines *bufio.Scanner
	leave context.CancelFunc
}

// listen opens a stream of a server; headers replace the usual ones.
func listen(t *testing.T, h *house.House, url string, headers ...string) *sse {
	t.Helper()
	_, key := h.HTTP()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	for _, header := range slices.DeleteFunc(headers, func(s string) bool { return s == "" }) {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return &sse{answer, bufio.NewScanner(answer.Body), cancel}
}

// next is the next event that is no comment.
func (s *sse) next(t *testing.T) (name string, data map[string]any) {
	t.Helper()
	for s.lines.Scan() {
		switch key, value, _ := strings.Cut(s.lines.Text(), ": "); {
		case key == "event":
			name = value
		case key == "data":
			if err := json.Unmarshal([]byte(value), &data); err != nil {
				t.Fatalf("%s: %v", value, err)
			}
		case s.lines.Text() == "" && name != "":
			return name, data
		}
	}
	t.Fatalf("the stream ended: %v", s.lines.Err())
	return "", nil
}

// TestQuernStreamSendsFilteredLines: a client over TCP gets what fits its filters, as it comes and with all keys; whoever has no key, or is
// a web page, gets nothing; a wrong filter is refused as every row does.
func TestQuernStreamSendsFilteredLines(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	handler, _ := h.HTTP()
	server := httptest.NewServer(handler)
	defer server.Close() // waits for the requests under way: a stream that outlives its client hangs here
	const path = "/api/v1/logs/stream"
	for _, refused := range []struct {
		query, header string
		status        int
	}{
		{"", "X-API-Key: wrong", http.StatusUnauthorized},
		{"", "Origin: https://example.com", http.StatusForbidden},
		{"?level=loud", "", http.StatusUnprocessableEntity},
		{"?source=radio", "", http.StatusUnprocessableEntity},
		{"?search=x", "", http.StatusUnprocessableEntity},
	} {
		if s := listen(t, h, server.URL+path+refused.query, refused.header); s.StatusCode != refused.status {
			t.Errorf("%s %s: %d", refused.query, refused.header, s.StatusCode)
		}
	}

	phone := h.Product.Telemetry.Open(telemetry.State{ID: "sim", Source: telemetry.Simulator, Device: "PHONE", App: "com.example.shop"})
	all := listen(t, h, server.URL+path)
	some := listen(t, h, server.URL+path+
		"?level=warning&process=Shop&subsystem=s&category=c&source=simulator&match=CART&exclude=full&device_id=PHONE")
	for _, s := range []*sse{all, some} {
		name, beat := s.next(t)
		if _, is := beat["buffer_size"].(float64); name != "heartbeat" || !is || beat["time"] == nil {
			t.Errorf("the first event is %s %v", name, beat)
		}
		if kind := s.Header.Get("Content-Type"); s.StatusCode != http.StatusOK || kind != "text/event-stream" ||
			s.Header.Get("Cache-Control") != "no-store" || s.Header.Get("X-Accel-Buffering") != "no" || s.Header.Get("Content-Encoding") != "" {
			t.Errorf("%d %v", s.StatusCode, s.Header)
		}
	}
	fits := telemetry.Entry{
		Time: time.Now(), Process: "Shop", PID: 7, Level: telemetry.Error, Subsystem: "s", Category: "c", Message: "the cart is lost",
	}
	said := []telemetry.Entry{}
	for i, change := range []func(*telemetry.Entry){
		func(e *telemetry.Entry) { e.Level = telemetry.Notice }, func(e *telemetry.Entry) { e.Process = "Mail" },
		func(e *telemetry.Entry) { e.Subsystem = "other" }, func(e *telemetry.Entry) { e.Category = "other" },
		func(e *telemetry.Entry) { e.Source = telemetry.Console }, func(e *telemetry.Entry) { e.Message = "the basket is lost" },
		func(e *telemetry.Entry) { e.Message = "the cart is FULL" }, func(e *telemetry.Entry) { e.Device = "OTHER" },
		func(e *telemetry.Entry) {},
	} {
		e := fits
		e.Message = fmt.Sprintf("%s (%d)", e.Message, i)
		change(&e)
		said = append(said, e)
		phone.Add(e)
	}
	for _, want := range said {
		if name, got := all.next(t); name != "log" || got["message"] != want.Message {
			t.Errorf("%s %v, want %s", name, got, want.Message)
		}
	}
	name, got := some.next(t)
	if name != "log" || got["message"] != "the cart is lost (8)" || got["device_id"] != "PHONE" || got["level"] != "error" {
		t.Errorf("%s %v", name, got)
	}
	keys := []string{
		"bundle_id", "category", "device_id", "id", "level", "message", "pid", "process", "raw", "repeat_count", "source", "subsystem",
		"timestamp",
	}
	if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, keys) {
		t.Errorf("an entry has %q", have)
	}
	some.leave()
	phone.Add(telemetry.Entry{Time: time.Now(), Message: "goes on"})
	if _, got := all.next(t); got["message"] != "goes on" {
		t.Errorf("%v", got)
	}
	all.leave()
}
