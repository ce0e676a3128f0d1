package product

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/reference"
)

// quernManner presents the set as quern's server does: its answers are JSON.
func quernManner(c *op.Catalogue) mcp.Manner {
	return mcp.Manner{
		Instructions: "Drive iOS devices. Answers are JSON. The guide resource has the workflow and the tools.",
		Alone:        true, Say: mcp.AsJSON, Also: []string{"job"},
		Resources: []mcp.Resource{
			{
				URI: "quern://guide", Name: "guide", Description: "How to work with these tools",
				Text: func(context.Context, op.Caller) string { return reference.Guide(c) },
			},
			troubleshooting(c),
		},
	}
}
