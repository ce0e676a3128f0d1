package main

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/mcp/conformance"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/surface/rest"
)

// toolsVariable chooses the MCP tools where no flag does.
const toolsVariable = "IOS_AGENT_TOOLS"

// mcpCommand is an MCP server on stdio. It is a thin proxy: the tools are listed from the catalogue at hand, before
// any daemon is up, and every call goes to the daemon.
func (p *program) mcpCommand() *cobra.Command {
	var tools string
	var how serving
	c := &cobra.Command{
		Use: "mcp", Short: "Serve MCP on stdio", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			session, _ := c.Flags().GetString("session")
			caller, err := connect(p.app.Catalogue, session)
			if err != nil {
				return err
			}
			configured, err := projectTools(caller.Dir)
			if err != nil {
				return err
			}
			how.words = cmp.Or(tools, os.Getenv(toolsVariable), configured, mcp.Default)
			server, err := mcpServer(p.app.Catalogue, caller, how)
			if err != nil {
				return err
			}
			ctx, cancel := untilOrphaned(c.Context())
			defer cancel()
			return serveStdio(ctx, server, &sdk.IOTransport{Reader: io.NopCloser(p.app.In), Writer: keepOpen{p.app.Out}})
		},
	}
	c.Flags().StringVar(&tools, "tools", "", "which tools: core, all, or families and groups, by commas "+
		"(default: "+toolsVariable+", else tools in .ios-agent/config.yaml, else core)")
	c.Flags().BoolVar(&how.destructive, "allow-destructive", false, "let call_tool reach operations that may lose data")
	c.Flags().BoolVar(&how.structured, "structured", false,
		"send every result as JSON too; for programs: most clients show a model that instead of the short text")
	return c
}

// serveStdio serves until the client closes stdin or the context ends. A read of stdin cannot be interrupted, so the
// end of the context does not wait for it.
func serveStdio(ctx context.Context, server *sdk.Server, stdio sdk.Transport) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, stdio) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// keepOpen is stdout, which is not the transport's to close.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }

// serving is how a client wants its tools.
type serving struct {
	words                   string
	destructive, structured bool
}

func mcpServer(c *op.Catalogue, caller op.Caller, how serving) (*sdk.Server, error) {
	tools, err := mcp.Select(c.Ops(), how.words)
	if err != nil {
		return nil, err
	}
	return mcp.Server(mcp.Options{
		Version: version(), Catalogue: c, Tools: tools, Caller: caller, Destructive: how.destructive, Structured: how.structured,
		Resources: []mcp.Resource{
			{URI: "ios-agent://guide", Name: "guide", Description: "How to work with ios-agent",
				Text: func() string { return reference.Guide(c) }},
			{URI: "ios-agent://troubleshooting", Name: "troubleshooting", Description: "What each fault means and what to do",
				Text: func() string { return reference.Troubleshooting(c) }},
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
	mux.Handle("/mcp", mcp.Handler(remembering(c)))
	return mux
}

// remembering makes one server for each kind of request: the SDK asks for one at every request, and its schemas take
// long to make.
func remembering(c *op.Catalogue) func(*http.Request) *sdk.Server {
	type kind struct {
		session string
		serving
	}
	var mu sync.Mutex
	servers := map[kind]*sdk.Server{}
	return func(r *http.Request) *sdk.Server {
		query := r.URL.Query()
		k := kind{rest.Session(r), serving{words: cmp.Or(query.Get("tools"), mcp.Default), structured: query.Get("structured") == "true"}}
		mu.Lock()
		defer mu.Unlock()
		if s, ok := servers[k]; ok {
			return s
		}
		s, err := mcpServer(c, op.Local{Catalogue: c, Session: k.session}, k.serving)
		if err != nil {
			return nil // the handler answers 400
		}
		if len(servers) >= mostServers {
			clear(servers) // names come from callers: remembering must not become a leak
		}
		servers[k] = s
		return s
	}
}

// mostServers is how many kinds of MCP request are remembered.
const mostServers = 64

// conformanceCommand serves the fixtures of the official MCP conformance suite from our own server code.
func conformanceCommand() *cobra.Command {
	var listen string
	var stateless bool
	c := &cobra.Command{Use: "mcp-conformance", Short: "Serve the fixtures of the MCP conformance suite", Args: cobra.NoArgs, Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return conformance.Serve(c.Context(), listen, stateless, c.OutOrStdout())
		}}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback address")
	c.Flags().BoolVar(&stateless, "stateless", false, "as protocol 2026-07-28 wants it")
	return c
}
