package house_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// textOf calls a tool that has to answer, and gives its text.
func textOf(t *testing.T, c *sdk.ClientSession, name string, input any) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: input})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		t.Fatalf("%s: %s", name, text)
	}
	return text
}

func listedTools(t *testing.T, c *sdk.ClientSession) (names []string) {
	t.Helper()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// xcodeClient is a client of `mcp --tools xcode` with options of its own.
func xcodeClient(t *testing.T, h *house.House, how product.Serving, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	how.Tools = "xcode"
	caller := op.Local{Catalogue: h.Product.Catalogue, Session: "xcode", Dir: h.Home.String()}
	server, err := product.MCP(h.Product.Catalogue, caller, "test", how)
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err = server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "old", Version: "1"}, o).
		Connect(t.Context(), ours, &sdk.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestXcodeBuildMCPSession plays a session as a client of XcodeBuildMCP has it, from its documents: nothing in it is changed but the
// command that starts the server.
func TestXcodeBuildMCPSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	changed := make(chan struct{}, 8)
	c := xcodeClient(t, h, product.Serving{Workflows: "simulator,ui-testing"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	})
	tools := listedTools(t, c)
	instructions := c.InitializeResult().Instructions
	for _, name := range []string{"session_show_defaults", "build_run_sim", "discover_projs"} {
		if !strings.Contains(instructions, name) {
			t.Errorf("the instructions do not say %s:\n%s", name, instructions)
		}
	}
	for _, name := range []string{
		"session_set_defaults", "session_show_defaults", "session_clear_defaults", "list_sims", "boot_sim", "build_run_sim", "describe_ui", "tap",
		"screenshot", "discover_tools",
	} {
		if !slices.Contains(tools, name) {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, name := range []string{"find_tools", "call_tool", "snapshot", "tap_element", "build_device"} {
		if slices.Contains(tools, name) {
			t.Errorf("%s is listed", name)
		}
	}

	files := h.Files()
	// A hyphen in a name and a map in an input are what earlier versions and clients write.
	set := textOf(t, c, "session-set-defaults", map[string]any{
		"projectPath": files.Project, "scheme": files.Scheme, "simulatorName": house.Device, "env": map[string]string{"STAGE": "test"},
	})
	if !strings.Contains(set, "STAGE") || !strings.Contains(textOf(t, c, "session_show_defaults", nil), house.Device) {
		t.Errorf("the defaults: %s", set)
	}
	if sims := textOf(t, c, "list_sims", nil); !strings.Contains(sims, house.Device) {
		t.Error(sims)
	}
	for _, step := range []struct{ tool, says string }{
		{"boot_sim", ""}, {"build_run_sim", "tally"}, {"describe_ui", "Tally"}, {"screenshot", ""},
	} {
		if text := textOf(t, c, step.tool, nil); !strings.Contains(strings.ToLower(text), strings.ToLower(step.says)) ||
			strings.Count(text, "[virtual]") > 1 || strings.Contains(text, "\nnext: ") && strings.Contains(text, "\nnext steps:") {
			t.Errorf("%s: %s", step.tool, text)
		}
	}
	if text := textOf(t, c, "tap", map[string]any{"label": "Add one"}); text == "" {
		t.Error(text)
	}

	resources, err := c.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 4 {
		t.Fatalf("%+v %v", resources, err)
	}
	for uri, want := range map[string]struct{ mime, says string }{
		"xcodebuildmcp://simulators": {"text/plain", house.Device}, "xcodebuildmcp://devices": {"text/plain", house.Physical},
		"xcodebuildmcp://doctor": {"text/plain", "healthy"}, "xcodebuildmcp://session-status": {"application/json", `"activeSessionIds":[]`},
	} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || r.Contents[0].MIMEType != want.mime || !strings.Contains(r.Contents[0].Text, want.says) {
			t.Errorf("%s: %+v %v", uri, r, err)
		}
		if err == nil && want.mime == "application/json" && !json.Valid([]byte(r.Contents[0].Text)) {
			t.Errorf("%s is no JSON: %s", uri, r.Contents[0].Text)
		}
	}

	found := textOf(t, c, "discover_tools", map[string]any{"task_description": "test on my physical iPad"})
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Error("nobody told that the list of tools changed")
	}
	tools = listedTools(t, c)
	for _, name := range []string{"test_device", "build_device", "list_devices", "tap"} {
		if !slices.Contains(tools, name) || name != "tap" && !strings.Contains(found, "\n"+name+"(") {
			t.Errorf("%s is not listed after\n%s", name, found)
		}
	}
	if text := textOf(t, c, "list_devices", nil); !strings.Contains(text, house.Physical) || !strings.Contains(text, "2 physical devices") ||
		strings.Contains(text, "discover_tools") {
		t.Errorf("the physical devices: %s", text)
	}
	textOf(t, c, "discover_tools", map[string]any{"task_description": "build my Swift package"})
	tools = listedTools(t, c)
	if slices.Contains(tools, "test_device") || !slices.Contains(tools, "swift_package_build") || !slices.Contains(tools, "tap") {
		t.Errorf("the workflow found before is not replaced: %q", tools)
	}
	textOf(t, c, "session_clear_defaults", map[string]any{"all": true})
}

// toolNames are names in a text that may be those of tools.
var toolNames = regexp.MustCompile("`[a-z-]+`|[a-z]+_[a-z_]+")

// TestInstructionsNameToolsOfTheSet: whatever is chosen, what a model is told first it can do.
func TestInstructionsNameToolsOfTheSet(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	all := h.Product.Catalogue
	for _, how := range []product.Serving{
		{Tools: "core"}, {Tools: "xcode"}, {Tools: "quern"}, {Tools: "xcode", Workflows: "swift-package"}, {Tools: "xcode", Dynamic: true},
		{Tools: "xcode", Workflows: "ui-automation"},
	} {
		c := h.MCP("s", how)
		tools := listedTools(t, c)
		for _, name := range toolNames.FindAllString(c.InitializeResult().Instructions, -1) {
			if _, err := all.Lookup(name); err == nil && !slices.Contains(tools, name) {
				t.Errorf("%+v: the instructions name %s, which is not listed", how, name)
			}
		}
	}
}
