package house_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/surface/mcp"
	"ios-agent/test/debuggee"
	"ios-agent/test/house"
)

// TestWaitReportsProgressToMCPClient: a client that gave a token hears for what a call waits, before its answer.
func TestWaitReportsProgressToMCPClient(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{Programs: func(name string, tool host.Main) host.Main {
		if name == "lldb-dap" {
			return new(debuggee.Adapter).Main
		}
		return tool
	}})
	app := exec.Command("sleep", "60")
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	h.Boot("a", "com.iosagent.shop")
	h.Must("a", "proxy_start", nil)
	h.Must("a", "debug_attach", in{"pid": app.Process.Pid})
	h.Must("a", "debug_continue", nil)
	heard := make(chan *sdk.ProgressNotificationParams, 100)
	client := listeningClient(t, h, heard)
	for _, c := range []struct {
		name, says string
		input      in
	}{
		{"wait", `label "Nobody" (exists)`, in{"text": "Nobody", "timeout": 1, "soft": true}},
		{"wait", "the screen (settled)", in{"condition": "settled"}},
		{"wait_for_element", `label "Nobody"`, in{"label": "Nobody", "condition": "exists", "timeout": 1}},
		{"wait_flow", "a request", in{"path": "/none", "timeout_ms": 10, "soft": true}},
		{"debug_wait", "to be paused or to end", in{"timeout_ms": 10}},
	} {
		params := &sdk.CallToolParams{Name: "call_tool", Arguments: in{"name": c.name, "arguments": c.input}}
		params.SetProgressToken(c.name)
		if _, err := client.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		if p := <-heard; p.ProgressToken != c.name || !strings.Contains(p.Message, "waiting for ") || p.Progress < 0 {
			t.Errorf("%s: got %+v, want that it waits for %s", c.name, p, c.says)
		} else {
			t.Log(p.Message)
		}
		for len(heard) > 0 {
			<-heard
		}
	}
}

// listeningClient is an MCP client of the default set that hears of progress.
func listeningClient(t *testing.T, h *house.House, heard chan<- *sdk.ProgressNotificationParams) *sdk.ClientSession {
	t.Helper()
	caller, err := h.Connect("a")
	if err != nil {
		t.Fatal(err)
	}
	server, err := product.MCP(h.Product.Catalogue, caller, "test", product.Serving{Tools: mcp.Default})
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "listener", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { heard <- r.Params },
	}).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
