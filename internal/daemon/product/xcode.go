package product

import (
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
)

// xcodeManner presents the set as XcodeBuildMCP does.
func xcodeManner(c *op.Catalogue) mcp.Manner {
	return mcp.Manner{Alone: true, Resources: []mcp.Resource{troubleshooting(c)}}
}
