package tokens

import (
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

// client is an agent's client: the real binary on stdio with the default tools, over Virtual Xcode in a home of its own.
type client struct {
	t       testing.TB
	session *mcp.ClientSession
	count   func(string) int
	calls   int
	tokens  int
}

// connect builds and starts the server; the test's end stops everything it started.
func connect(t testing.TB) *client {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "ios-agent")
	if out, err := exec.Command("go", "build", "-o", binary, "ios-agent/cmd/ios-agent").CombinedOutput(); err != nil {
		t.Fatalf("building the binary: %v\n%s", err, out)
	}
	env := append(os.Environ(), "IOS_AGENT_HOME="+filepath.Join(dir, "home"), "IOS_AGENT_TOOLCHAIN=virtual", "IOS_AGENT_VIRTUAL_TIME=request", "IOS_AGENT_TOOLS=")
	t.Cleanup(func() {
		for _, args := range [][]string{{"daemon", "stop"}, {"virtual", "stop"}} {
			stop := exec.Command(binary, args...)
			stop.Env = env
			if out, err := stop.CombinedOutput(); err != nil {
				t.Errorf("ios-agent %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.Command(binary, "mcp")
	cmd.Env, cmd.Dir = env, dir
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tokens", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &client{t: t, session: session, count: counter(t)}
}

// call calls a tool and gives what a model reads of the answer. Clients forward either the text or, when there is one,
// the structured content; the dearer of the two is counted.
func (c *client) call(tool string, input map[string]any) string {
	c.t.Helper()
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: input})
	if err != nil {
		c.t.Fatal(err)
	}
	var texts []string
	for _, part := range res.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	text := strings.Join(texts, "\n")
	if res.IsError {
		c.t.Fatalf("%s %v: %s", tool, input, text)
	}
	cost := c.count(text)
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			c.t.Fatal(err)
		}
		cost = max(cost, c.count(string(raw)))
	}
	c.calls++
	c.tokens += cost
	c.t.Logf("%2d. %s %v: %d tokens\n%s", c.calls, tool, input, cost, text)
	return text
}
