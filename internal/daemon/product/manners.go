package product

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/view/quern"
	"ios-agent/internal/ops/view/strobe"
	"ios-agent/internal/ops/view/xcode"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/reference"
)

// manners are the sets that stand for other products, by the word that chooses them. All others present themselves as ours do.
var manners = map[string]func(*op.Catalogue) mcp.Manner{
	xcode.Family: xcodeManner, quern.Family: quernManner, strobe.Family: desktopManner,
}

// jobs chooses the tools for work that takes longer than a client waits; they belong to every set that stands alone.
const jobs = "job"

// MannerOf is how the tools that the words choose present themselves. A mixture of sets is ours.
func MannerOf(c *op.Catalogue, words string) mcp.Manner {
	if manner, ok := manners[words]; ok {
		return manner(c)
	}
	return mcp.Manner{Resources: []mcp.Resource{
		{
			URI: "ios-agent://guide", Name: "guide", Description: "How to work with ios-agent",
			Text: func(context.Context, op.Caller) string { return reference.Guide(c) },
		},
		troubleshooting(c),
	}}
}

func troubleshooting(c *op.Catalogue) mcp.Resource {
	return mcp.Resource{
		URI: "ios-agent://troubleshooting", Name: "troubleshooting", Description: "The meaning of each fault and what to do",
		Text: func(context.Context, op.Caller) string { return reference.Troubleshooting(c) },
	}
}
