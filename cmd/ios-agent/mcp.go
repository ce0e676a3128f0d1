package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"ios-agent/internal/config"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	sessionops "ios-agent/internal/ops/session"
)

// toolsVariable chooses the MCP tools where no flag does.
const toolsVariable = sessionops.ToolsVariable

// mcpCommand is an MCP server on stdio. It is a thin proxy: the tools are listed from the catalogue of this process, before
// any daemon runs, and every call goes to the daemon.
func (p *program) mcpCommand() *cobra.Command {
	var tools string
	var how product.Serving
	c := &cobra.Command{
		Use: "mcp", Short: "Serve MCP on stdio", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			session, _ := c.Flags().GetString("session")
			caller, err := connect(p.app.Catalogue, session)
			if err != nil {
				return err
			}
			how.Tools = cmp.Or(tools, os.Getenv(toolsVariable))
			how = configured(how, p.app.Catalogue, config.ReadTools(caller.Dir, product.Keys()), os.Getenv)
			server, err := product.MCP(p.app.Catalogue, caller, version(), how)
			if err != nil {
				return err
			}
			ctx, cancel := untilOrphaned(c.Context())
			defer cancel()
			return serveStdio(ctx, server, &sdk.IOTransport{Reader: io.NopCloser(p.app.In), Writer: keepOpen{p.app.Out}})
		},
	}
	c.Flags().StringVar(&tools, "tools", "", "which tools: core, all, or families and groups, separated by commas "+
		"(default: "+toolsVariable+", else tools in .ios-agent/config.yaml, else core)")
	_ = c.RegisterFlagCompletionFunc("tools", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return op.Sets(p.app.Catalogue.Ops()), cobra.ShellCompDirectiveNoFileComp
	}) // it fails for a flag that is not there
	c.Flags().BoolVar(&how.Destructive, "allow-destructive", false, "let call_tool reach operations that may lose data")
	c.Flags().BoolVar(&how.Structured, "structured", false,
		"send every result as JSON too; for programs, because most clients show a model the JSON instead of the short text")
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
