package main

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
)

// mcpCommand is an MCP server on stdio. It is a thin proxy: the tools are listed from the catalogue at hand, before
// any daemon is up, and every call goes to the daemon.
func (p *program) mcpCommand() *cobra.Command {
	var tools, name string
	c := &cobra.Command{
		Use: "mcp", Short: "Serve MCP on stdio", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			sets := map[string]func([]op.Op) []op.Op{"core": mcp.Core, "all": func(all []op.Op) []op.Op { return all }}
			pick, ok := sets[tools]
			if !ok {
				return fault.New(fault.InvalidInput, "--tools is core or all, not %q", tools)
			}
			name, _ = c.Flags().GetString("session")
			caller, err := connect(name)
			if err != nil {
				return err
			}
			return mcp.Server(version(), pick(p.app.Catalogue.Ops()), caller).Run(c.Context(), &sdk.StdioTransport{})
		},
	}
	c.Flags().StringVar(&tools, "tools", "core", "which tools to serve: core or all")
	return c
}
