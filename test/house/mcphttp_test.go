package house_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// keyed adds headers to each request.
type keyed struct{ headers map[string]string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range k.headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// webMCP is an MCP client over HTTP that keeps a session of its own; session is the X-Session that it names, or empty.
func webMCP(t *testing.T, h *house.House, at, session string) *sdk.ClientSession {
	t.Helper()
	_, key := h.HTTP()
	headers := map[string]string{"X-API-Key": key}
	if session != "" {
		headers[rest.SessionHeader] = session
	}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "house", Version: "test"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: at + "/mcp?tools=" + mcp.All, HTTPClient: &http.Client{Transport: keyed{headers}}},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// web serves a house over HTTP.
func web(t *testing.T, h *house.House) (url string) {
	t.Helper()
	handler, _ := h.HTTP()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close) // after the clients, which are closed first
	return server.URL
}

// toolText calls a tool and gives its text.
func toolText(t *testing.T, s *sdk.ClientSession, name string, input any) (text string, failed bool) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(raw)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// TestEachMCPClientOverHTTPHasItsOwnSession: two that name none do not drive one device. What the first had is free when it has left.
func TestEachMCPClientOverHTTPHasItsOwnSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	at := web(t, h)
	udid := h.Boot("bob", drivertest.Conformance)
	h.Must("bob", "release_device", map[string]string{"udid": udid})
	one, other := webMCP(t, h, at, ""), webMCP(t, h, at, "")
	tap := map[string]any{"label": "Tap Me", "udid": udid}
	if text, failed := toolText(t, one, "tap_element", tap); failed {
		t.Fatalf("the first client: got %s, want an answer", text)
	}
	if text, failed := toolText(t, other, "tap_element", tap); !failed || !strings.Contains(text, "DEVICE_CLAIMED") {
		t.Errorf("the second client: got %s, want DEVICE_CLAIMED", text)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if text, failed := toolText(t, other, "resolve_device", map[string]any{"udid": udid, "wait_if_busy": true}); failed {
		t.Errorf("after the first has left: got %s, want its device", text)
	}
	if text, failed := toolText(t, other, "tap_element", tap); failed {
		t.Errorf("after the first has left: got %s, want an answer", text)
	}
}

// TestMCPClientOverHTTPKeepsChosenDevice, and a named session is the one that it names, whichever client uses it.
func TestMCPClientOverHTTPKeepsChosenDevice(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	at := web(t, p.House)
	one, other, ada := webMCP(t, p.House, at, ""), webMCP(t, p.House, at, ""), webMCP(t, p.House, at, "ada")
	for client, device := range map[*sdk.ClientSession]string{one: house.Device, other: second, ada: second} {
		if text, failed := toolText(t, client, "use_device", map[string]string{"device": device}); failed {
			t.Fatal(text)
		}
	}
	for client, udid := range map[*sdk.ClientSession]string{one: p.mine, other: p.other} {
		before := p.taps(udid)
		text, failed := toolText(t, client, "tap_element", map[string]string{"label": "Tap Me"})
		if after := p.taps(udid); failed || after != before+1 {
			t.Errorf("got %d inputs on %s, want 1: %s", after-before, udid, text)
		}
	}
	if now := current(p.House, "ada"); now != p.other {
		t.Errorf("ada: got the current device %q, want %q", now, p.other)
	}
}

// TestRestartReleasesDevicesOfMCPClients over HTTP: none of them can come back to its own.
func TestRestartReleasesDevicesOfMCPClients(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("bob", drivertest.Conformance)
	h.Must("bob", "release_device", map[string]string{"udid": udid})
	one := webMCP(t, h, web(t, h), "")
	if text, failed := toolText(t, one, "claim_device", map[string]string{"udid": udid}); failed {
		t.Fatal(text)
	}
	h.Restart()
	h.Must("bob", "tap_element", map[string]string{"label": "Tap Me", "udid": udid})
}
