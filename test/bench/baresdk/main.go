// Command baresdk is the baseline of an MCP server in Go: only the SDK and one tool. Command bench measures ios-agent's MCP server against
// it.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type in struct {
	Name string `json:"name"`
}

func greet(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + i.Name}}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "baresdk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Say hello"}, greet)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
