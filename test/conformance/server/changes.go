package main

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// changes are tools that change the server's own lists, so that subscribers get a notification.
func changes(s *sdk.Server) []fixture {
	return []fixture{
		{name: "test_trigger_tool_change", run: changing(func() {
			f := says("transient_tool", "here today")
			s.AddTool(f.tool(), f.run)
		})},
		{name: "test_trigger_prompt_change", run: changing(func() {
			s.AddPrompt(prompt("transient_prompt"), prompting(&sdk.TextContent{Text: "here today"}))
		})},
	}
}

func changing(change func()) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		change() // adding an existing entry is a change too
		return say("changed"), nil
	}
}
