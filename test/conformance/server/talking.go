//lint:file-ignore SA1019 logging is deprecated since 2026-07-28; the suite still asks servers of older versions for it.

package main

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// talking are tools that say something before they answer, or end the stream they would say it on.
func talking() []fixture {
	return []fixture{
		{name: "test_tool_with_logging", run: logging("Tool execution started", "Tool processing data", "Tool execution completed")},
		{name: "test_logging_tool", run: logging("heard only by who asked for logs")},
		{name: "test_reconnection", run: reconnection},
	}
}

func logging(lines ...string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, line := range lines {
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
			pause(ctx)
		}
		return say("logged %d lines", len(lines)), nil
	}
}

// reconnection hangs up and answers on the stream the client comes back for.
func reconnection(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	pause(ctx)
	pause(ctx)
	return say("the client came back"), nil
}
