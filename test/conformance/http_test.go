package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/surface/mcp"
)

// Without a session there is nothing to send a cancellation to: the client hangs up.
func TestHTTPDisconnectCancelsSessionlessCall(t *testing.T) {
	d, begun, cancelled := hanging(t)
	web := serve(t, d)
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	const body = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "work", "_meta": {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}`
	req, err := http.NewRequestWithContext(ctx, "POST", web.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": sessionless, "Mcp-Method": "tools/call", "Mcp-Name": "work",
	} {
		req.Header.Set(name, value)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		if res, err := web.Client().Do(req); err == nil {
			res.Body.Close()
		}
	}()
	wait(t, begun, "the call did not begin")
	hangUp()
	wait(t, cancelled, "the caller was not told")
	wait(t, over, "the client did not leave")
}

// One address serves clients with sessions and clients without.
func TestHTTPAddressServesEveryProtocolVersion(t *testing.T) {
	web := serve(t, &desk{})
	for _, version := range []string{"2025-06-18", "2025-11-25", sessionless} {
		c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL},
			&sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if got := s.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("asked for %s, got %s", version, got)
		}
		s.Close()
	}
}

func serve(t *testing.T, d *desk) *httptest.Server {
	server := d.server(t)
	web := httptest.NewServer(mcp.Handler(func(*http.Request) *sdk.Server { return server }))
	t.Cleanup(web.Close)
	return web
}
