package tokens

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	surface "ios-agent/internal/surface/mcp"
	"ios-agent/test/house"
)

// client is an agent's client of the default tools.
type client struct {
	t       testing.TB
	session *mcp.ClientSession
	count   func(string) int
	calls   int
	tokens  int
}

// connect gives a client of a product of its own.
func connect(t testing.TB) *client {
	t.Helper()
	session := house.New(t).MCP("tokens", product.Serving{Tools: surface.Default})
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
