package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
)

// dial is an MCP client of the documents a daemon serves.
func dial(t *testing.T, url, version string) (*sdk.ClientSession, error) {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// TestMCPOverHTTPServesRequestedTools: clients with sessions and without, each with the tools and the guides it asks for.
func TestMCPOverHTTPServesRequestedTools(t *testing.T) {
	server := httptest.NewServer((&product.Product{Catalogue: product.Catalogue()}).Documents())
	t.Cleanup(server.Close) // after the clients, which are closed first
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		for query, want := range map[string]string{"": "tap_element", "?tools=session-management": "session_set_defaults",
			"?tools=ui&structured=true": "tap_element"} {
			s, err := dial(t, server.URL+"/mcp"+query, version)
			if err != nil {
				t.Fatalf("%s %s: %v", version, query, err)
			}
			listed, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			structured := strings.Contains(query, "structured")
			i := slices.IndexFunc(listed.Tools, func(tool *sdk.Tool) bool { return strings.HasSuffix(want, tool.Name) })
			if i < 0 || (listed.Tools[i].OutputSchema != nil) != structured {
				t.Errorf("%s %s: %d tools, %s among them is %d", version, query, len(listed.Tools), want, i)
			}
			for uri, says := range map[string]string{"ios-agent://guide": "tap_element | POST | /api/v1/ui/tap",
				"ios-agent://troubleshooting": "REF_EXPIRED"} {
				r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
				if err != nil || !strings.Contains(r.Contents[0].Text, says) {
					t.Errorf("%s: %v", uri, err)
				}
			}
			r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_tools",
				Arguments: json.RawMessage(`{"query":"shut down simulator"}`)})
			if err != nil || !strings.Contains(r.Content[0].(*sdk.TextContent).Text,
				"\nshutdown_device(udid?, sim?): Shut a simulator down") {
				t.Errorf("find_tools: %+v %v", r, err)
			}
		}
	}
	if _, err := dial(t, server.URL+"/mcp?tools=nonsense", "2025-06-18"); err == nil {
		t.Error("a tool set that does not exist is served")
	}
}

func TestOpenAPIIsServed(t *testing.T) {
	w := httptest.NewRecorder()
	(&product.Product{Catalogue: product.Catalogue()}).Documents().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var d struct {
		OpenAPI    string
		Paths      map[string]any
		Components map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK || d.OpenAPI != "3.1.0" ||
		d.Paths["/api/v1/ui/tap"] == nil || d.Components["schemas"] == nil {
		t.Errorf("%d %v %v", w.Code, d.OpenAPI, err)
	}
}

// TestMCPToolsFlagOverridesVariableAndFile: the flag wins over the variable, which wins over the project's file. Tools are listed without a
// daemon.
func TestMCPToolsFlagOverridesVariableAndFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("IOS_AGENT_HOME", home)
	t.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	t.Chdir(t.TempDir())
	if err := os.Mkdir(".ios-agent", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(".ios-agent/config.yaml", []byte("tools: [session-management]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, variable, want, not string }{
		{"mcp", "", "session_set_defaults", "tap_element"},
		{"mcp", "job", "job_wait", "session_set_defaults"},
		{"mcp --tools core", "job", "tap_element", "job_wait"},
	} {
		t.Setenv("IOS_AGENT_TOOLS", c.variable)
		s, ended := stdio(t, c.args)
		listed, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(listed.Tools, func(tool *sdk.Tool) bool { return tool.Name == name })
		}
		if !has(c.want) || has(c.not) || !has("find_tools") {
			t.Errorf("%+v: %d tools", c, len(listed.Tools))
		}
		s.Close() // closes stdin, which ends the server
		if code := <-ended; code != fault.ExitOK {
			t.Errorf("%+v: exit %d", c, code)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "run")); err == nil {
		t.Error("a daemon was started")
	}
	var out bytes.Buffer
	p := command()
	p.app.Out = &out
	if code := p.run(t.Context(), []string{"mcp", "--tools", "nonsense", "--json"}); code != fault.ExitUsage ||
		!strings.Contains(out.String(), `unknown tool set \"nonsense\"`) {
		t.Errorf("exit %d, %s", code, out.String())
	}
}
