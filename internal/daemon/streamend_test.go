package daemon_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/test/surfacetest"
)

// TestALeavingDaemonEndsItsStreams: a client that listens is told, and is not waited for.
func TestALeavingDaemonEndsItsStreams(t *testing.T) {
	h := newHouse(t, op.JobAfter)
	h.Ticks.Add(surfacetest.Tick{N: 1})
	key, err := h.key.Read()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, h.url+"/api/v1/ticks", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r) // its head comes with the first tick
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	h.stop()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(text), "event: end\n") || !strings.Contains(string(text), "the daemon is ending") {
		t.Errorf("%v: %q", err, text)
	}
}
