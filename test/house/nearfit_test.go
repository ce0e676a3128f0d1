package house_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	surface "ios-agent/internal/surface/mcp"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestNearlyRightCommandLineWorksOrSuggestsOne: words of other programs, and a text where a ref is expected.
func TestNearlyRightCommandLineWorksOrSuggestsOne(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	h.Must("a", "snapshot", nil)
	for _, c := range []struct{ line, want string }{
		{"tap|Tap Me", "changed"},
		{"click|Nowhere", "ELEMENT_NOT_FOUND"},
		{"wait|Nowhere|--timeout|0", "Nowhere"},
		{"step|show|last", "tap"},
		{"version", "test"},
		{"list", "ios-agent devices"},
		{"press|x", "ios-agent tap"},
		{"scroll", "ios-agent swipe up"},
		{"swipe|up|@e999", "REF_EXPIRED: ref @e999"},
		{"fill|tea|@e999", "REF_EXPIRED: ref @e999"},
		{"help|step", "Show a call's input, outcome, diff, times and screens"},
		{"help", "batch"},
		{"proxy|wait|--timeout|0.1", "proxy"},
		{"launch|Shop|--restart=false|--args=-x|--proxy", "hint: `ios-agent proxy launch Shop --args -x`"},
	} {
		ran := h.CLI("a", strings.Split(c.line, "|")...)
		if said := ran.Stdout + ran.Stderr; !strings.Contains(said, c.want) || strings.Contains(said, "does not take") {
			t.Errorf("%s: got %s, want %q", c.line, said, c.want)
		}
	}
	if first, _, _ := strings.Cut(h.CLI("a", "help", "step").Stdout, "\n"); first == "show" {
		t.Errorf("help step begins with %q", first)
	}
	if page := h.CLI("a", "help").Stdout; strings.Count(page, "\n") > 55 {
		t.Errorf("help has %d lines", strings.Count(page, "\n"))
	}
	if page := h.CLI("a", "help", "tap").Stdout; strings.Contains(page, "-url ") || strings.Contains(page, "--timeout-ms") {
		t.Errorf("the help of tap has servers, or two flags for one time:\n%s", page)
	}
}

// TestNearlyRightToolNameSuggestsTool: the same over MCP and REST.
func TestNearlyRightToolNameSuggestsTool(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	client := h.MCP("a", product.Serving{Tools: surface.Default})
	for name, want := range map[string]string{
		"click": "tap_element", "tap": "tap_element", "tap_elment": "tap_element", "press_key": "call_tool", "zzz": "find_tools",
	} {
		_, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s named", name, err, want)
		}
	}
	tap, err := h.Product.Catalogue.Lookup("tap_element")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []string{
		h.Call("a", "tap_element", in{"ref": "Add Tea"}).Text(),
		h.REST("a", http.MethodPost, tap.Path(), in{"ref": "Add Tea"}).Body.String(),
	} {
		if !strings.Contains(e, "Add Tea") || !strings.Contains(e, "label") || strings.Contains(e, "the help or the schema") {
			t.Errorf("a text as a ref: got %s, want the label as the way", e)
		}
	}
}

// TestOpenAPINamesTheServerThatServesIt: on whichever port it was reached.
func TestOpenAPINamesTheServerThatServesIt(t *testing.T) {
	t.Parallel()
	handler, key := house.New(t).HTTP()
	server := httptest.NewServer(handler)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var said struct{ Servers []struct{ URL string } }
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	if len(said.Servers) != 1 || said.Servers[0].URL != server.URL {
		t.Errorf("got %v, want %s", said.Servers, server.URL)
	}
}
