package network_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/network/proxy"
	"ios-agent/internal/ops/network"
)

// TestFlowListReportsDamagedStorage: after damage, in the list and in the status of the proxy.
func TestFlowListReportsDamagedStorage(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("GET", "/a", "")
	var got network.ListFlowsOut
	if w.Must("list_flows", `{}`, &got); got.Note != "" {
		t.Errorf("got the note %q, want none where nothing is missing", got.Note)
	}
	found, err := filepath.Glob(filepath.Join(proxy.SpoolDir(filepath.Join(w.dir, "proxy")), "*"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	f, err := os.OpenFile(found[len(found)-1], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"flow\": what nobody wrote\n"); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	const want = "1 request lost: the proxy ended while it wrote them"
	if w.Must("list_flows", `{}`, &got); got.Note != want || len(got.Flows) != 1 {
		t.Errorf("got %d flows and the note %q, want 1 and %q", len(got.Flows), got.Note, want)
	}
	var status network.ProxyOut
	if w.Must("proxy_status", `{}`, &status); !strings.Contains(strings.Join(status.Warnings, "\n"), want) {
		t.Errorf("got the warnings %q, want %q", status.Warnings, want)
	}
}
