// Package peers tests Virtual Xcode with XcodeBuildMCP, and our flow patterns with mitmproxy, two programs that we did not write. To
// XcodeBuildMCP, Virtual Xcode must look like Apple's tools. `make test-peers` installs the programs and runs the tests.
package peers

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modules is where scripts/peers put the peers. They are large and come from npm, so only `make test-peers` asks for
// them; then one that is missing is a failure.
func modules(t *testing.T) string {
	t.Helper()
	if os.Getenv("IOS_AGENT_PEERS") == "" {
		t.Skip("peers are tested by make test-peers, which installs them")
	}
	cache := cmp.Or(os.Getenv("IOS_AGENT_CACHE"), filepath.Join("..", "..", ".cache"))
	dir, err := filepath.Abs(filepath.Join(cache, "npm-peers", "node_modules"))
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "xcodebuildmcp"))
	}
	if err != nil {
		t.Fatalf("XcodeBuildMCP is not installed: %v", err)
	}
	return dir
}

// world is a home of its own with the tools of its virtual Xcode first on the PATH.
type world struct {
	t   *testing.T
	bin string
	env []string
}

func newWorld(t *testing.T) *world {
	dir := t.TempDir()
	w := &world{t: t, bin: filepath.Join(dir, "ios-agent")}
	if out, err := exec.Command("go", "build", "-o", w.bin, "ios-agent/cmd/ios-agent").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.env = append(os.Environ(), "IOS_AGENT_HOME="+filepath.Join(dir, "home"), "HOME="+dir)
	tools := strings.TrimSpace(w.run("virtual", "path"))
	w.env = append(w.env, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"), "XCODEBUILDMCP_AXE_PATH="+filepath.Join(tools, "axe"),
		"XCODEBUILDMCP_SENTRY_DISABLED=true", "XCODEBUILDMCP_ENABLED_WORKFLOWS=simulator,ui-automation,simulator-management,project-discovery")
	t.Cleanup(func() {
		w.run("daemon", "stop")
		w.run("virtual", "stop") // what the peer left running loses its simulator and ends
	})
	return w
}

func (w *world) run(args ...string) string {
	cmd := exec.Command(w.bin, args...)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("ios-agent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// connect starts XcodeBuildMCP.
func (w *world) connect(ctx context.Context, modules string) *mcp.ClientSession {
	cmd := exec.Command("node", filepath.Join(modules, "xcodebuildmcp", "build", "cli.js"), "mcp")
	cmd.Env = w.env
	cmd.Dir = w.t.TempDir()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

func call(ctx context.Context, t *testing.T, s *mcp.ClientSession, name string, args map[string]any) string {
	t.Helper()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, c := range res.Content {
		if part, ok := c.(*mcp.TextContent); ok {
			text.WriteString(part.Text + "\n")
		}
	}
	structured, _ := json.Marshal(res.StructuredContent)
	text.Write(structured)
	if res.IsError {
		t.Fatalf("%s: %s", name, text.String())
	}
	t.Logf("%s: %s", name, text.String())
	return text.String()
}

// refOf finds the ref of an element in XcodeBuildMCP's rows: ref|action|role|label|value|id.
func refOf(t *testing.T, snapshot, id string) string {
	t.Helper()
	for line := range strings.Lines(snapshot) {
		if parts := strings.Split(strings.TrimSpace(line), "|"); len(parts) == 6 && parts[5] == id {
			return parts[0]
		}
	}
	t.Fatalf("no %s in\n%s", id, snapshot)
	return ""
}

// device is one of the default set.
const device = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"

// TestXcodeBuildMCPDrivesTheVirtualSimulator lets the most used program of this field list, boot, launch, see, type and
// tap on our tools.
func TestXcodeBuildMCPDrivesTheVirtualSimulator(t *testing.T) {
	modules := modules(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t)
	s := w.connect(ctx, modules)
	if listed := call(ctx, t, s, "list_sims", map[string]any{}); !strings.Contains(listed, device) {
		t.Error("the device is not listed")
	}
	call(ctx, t, s, "session_set_defaults", map[string]any{"simulatorId": device, "bundleId": "com.iosagent.shop"})
	call(ctx, t, s, "boot_sim", map[string]any{})
	call(ctx, t, s, "launch_app_sim", map[string]any{})
	for id, text := range map[string]string{"email-field": "ada@example.com", "password-field": "secret"} {
		seen := call(ctx, t, s, "snapshot_ui", map[string]any{})
		call(ctx, t, s, "type_text", map[string]any{"elementRef": refOf(t, seen, id), "text": text})
	}
	for _, id := range []string{"login-button", "add-coffee"} {
		seen := call(ctx, t, s, "snapshot_ui", map[string]any{})
		call(ctx, t, s, "tap", map[string]any{"elementRef": refOf(t, seen, id)})
	}
	w.run("launch", "com.iosagent.shop", "--udid", device) // it runs: this only tells our side which app to look at
	if seen := w.run("snapshot", "--udid", device); !strings.Contains(seen, `"Cart: 1"`) {
		t.Errorf("what the peer did is not what we see:\n%s", seen)
	}

	// A tap that does nothing: the peer reports success, we do not.
	w.run("virtual", "fault", "add", "no-op-tap")
	seen := call(ctx, t, s, "snapshot_ui", map[string]any{})
	call(ctx, t, s, "tap", map[string]any{"elementRef": refOf(t, seen, "add-coffee")})
	w.run("virtual", "fault", "add", "no-op-tap")
	if ours := w.run("tap", "--identifier", "add-coffee", "--udid", device); !strings.Contains(ours, "unchanged") {
		t.Errorf("we did not notice: %s", ours)
	}
}
