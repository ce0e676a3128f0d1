package main

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/surface/rest"
)

// toolsVariable chooses the MCP tools where no flag does.
const toolsVariable = "IOS_AGENT_TOOLS"

// mcpCommand is an MCP server on stdio. It is a thin proxy: the tools are listed from the catalogue at hand, before
// any daemon is up, and every call goes to the daemon.
func (p *program) mcpCommand() *cobra.Command {
	var tools string
	var destructive bool
	c := &cobra.Command{
		Use: "mcp", Short: "Serve MCP on stdio", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			session, _ := c.Flags().GetString("session")
			caller, err := connect(session)
			if err != nil {
				return err
			}
			configured, err := projectTools(caller.Dir)
			if err != nil {
				return err
			}
			words := cmp.Or(tools, os.Getenv(toolsVariable), configured, mcp.Default)
			server, err := mcpServer(p.app.Catalogue, caller, words, destructive)
			if err != nil {
				return err
			}
			ctx, cancel := untilOrphaned(c.Context())
			defer cancel()
			return serveStdio(ctx, server)
		},
	}
	c.Flags().StringVar(&tools, "tools", "", "which tools: core, all, or families and groups, by commas (default: "+toolsVariable+", else tools in .ios-agent/config.yaml, else core)")
	c.Flags().BoolVar(&destructive, "allow-destructive", false, "let call_tool reach operations that may lose data")
	return c
}

// serveStdio serves until the client closes stdin or the context ends. A read of stdin cannot be interrupted, so the
// end of the context does not wait for it.
func serveStdio(ctx context.Context, server *sdk.Server) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, &sdk.StdioTransport{}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

func mcpServer(c *op.Catalogue, caller op.Caller, words string, destructive bool) (*sdk.Server, error) {
	tools, err := mcp.Select(c.Ops(), words)
	if err != nil {
		return nil, err
	}
	return mcp.Server(mcp.Options{
		Version: version(), Catalogue: c, Tools: tools, Caller: caller, Destructive: destructive,
		Resources: []mcp.Resource{
			{URI: "ios-agent://guide", Name: "guide", Description: "How to work with ios-agent", Text: func() string { return reference.Guide(c) }},
			{URI: "ios-agent://troubleshooting", Name: "troubleshooting", Description: "What each fault means and what to do", Text: func() string { return reference.Troubleshooting(c) }},
		},
	}), nil
}

// untilOrphaned ends the context when the process that started this one is gone: a client that was killed closes no
// pipe that its other children hold open.
func untilOrphaned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		for tick := time.Tick(2 * time.Second); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick:
				if os.Getppid() != parent {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// documents is what the daemon serves besides operations: MCP over HTTP and the OpenAPI document.
func documents(c *op.Catalogue) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		raw, err := reference.OpenAPI(c, version())
		if err != nil {
			rest.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(raw)
	})
	mux.Handle("/mcp", sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		words := cmp.Or(r.URL.Query().Get("tools"), mcp.Default)
		server, err := mcpServer(c, op.Local{Catalogue: c, Session: rest.Session(r)}, words, false)
		if err != nil {
			return nil // the handler answers 400
		}
		return server
	}, &sdk.StreamableHTTPOptions{SessionTimeout: time.Hour}))
	return mux
}
