// Package conformance tests the MCP server with messages written by hand, line by line, so that no SDK hides an error on the client's side.
// The official suite, which uses HTTP, is scripts/mcp-conformance.
package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// message is any JSON-RPC message.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	}
}

// client is the other end of a server's stdin and stdout.
type client struct {
	t     *testing.T
	in    io.Writer
	got   chan message
	last  int
	meta  map[string]any // goes with every request
	notes []message      // notifications so far
}

// dial runs a server on pipes, which it reads and writes as it does stdin and stdout.
func dial(t *testing.T, s *sdk.Server) *client {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	over := make(chan error, 1)
	go func() {
		over <- s.Run(context.Background(), &sdk.IOTransport{Reader: serverIn, Writer: serverOut})
		serverOut.Close()
	}()
	c := &client{t: t, in: in, got: make(chan message, 100)}
	go c.read(out)
	t.Cleanup(func() {
		in.Close()
		<-over // a server whose stdin ends, ends
	})
	return c
}

func (c *client) read(out io.Reader) {
	defer close(c.got)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			c.t.Errorf("no JSON-RPC: %s", lines.Bytes())
		}
		c.got <- m
	}
}

func (c *client) write(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	raw, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(c.in, "%s\n", raw)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// begin sends a request and does not wait.
func (c *client) begin(method string, params map[string]any) (id int) {
	c.t.Helper()
	c.last++
	for key, value := range c.meta {
		meta, _ := params["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
			params["_meta"] = meta
		}
		meta[key] = value
	}
	c.write(map[string]any{"id": c.last, "method": method, "params": params})
	return c.last
}

// await waits for the answer to a request and notes what comes before it.
func (c *client) await(id int) message {
	c.t.Helper()
	for limit := time.After(patience); ; {
		select {
		case m, ok := <-c.got:
			switch {
			case !ok:
				c.t.Fatal("the server is gone")
			case m.Method != "":
				c.notes = append(c.notes, m)
			case m.ID == id:
				return m
			}
		case <-limit:
			c.t.Fatalf("no answer to request %d", id)
		}
	}
}

// ask sends a request and decodes its result.
func (c *client) ask(method string, params map[string]any, result any) {
	c.t.Helper()
	m := c.await(c.begin(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		c.t.Fatalf("%s: %v: %s", method, err, m.Result)
	}
}

// initialize opens a session as clients up to 2025-11-25 do.
func (c *client) initialize(version string) (agreed string) {
	c.t.Helper()
	var result struct{ ProtocolVersion string }
	c.ask("initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": me}, &result)
	c.write(map[string]any{"method": "notifications/initialized"})
	return result.ProtocolVersion
}

// standAlone makes every request carry what later clients send instead of a session.
func (c *client) standAlone() {
	c.meta = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    sessionless,
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo":         me,
	}
}

// sessionless is the first version without sessions.
const sessionless = "2026-07-28"

var me = map[string]any{"name": "by hand", "version": "1"}
