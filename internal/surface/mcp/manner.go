package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
)

// Manner is how a set of tools presents itself to its client.
type Manner struct {
	// Instructions is the whole text that a model gets before it sees the tools; empty: the package's own.
	Instructions string
	// Alone marks a set that stands for another product: it has no core tools, and no answer names a tool outside the set.
	Alone bool
	// Also are further sets that belong to this one.
	Also []string
	// Discovery lists tools for a client on demand; nil: all are listed from the start.
	Discovery *Discovery
	// Say renders the answer to a call with this input; nil: as text, with the usual next calls.
	Say func(o op.Op, e op.Envelope, input []byte) string
	// Resources are documents that a client can read.
	Resources []Resource
}

// Resource is a document a client can read.
type Resource struct {
	URI, Name, Description string
	MIME                   string // empty: Markdown
	// Text returns the document. It may query the product; errors then go into the document.
	Text func(context.Context, op.Caller) string
}

// markdown is the default type of a resource.
const markdown = "text/markdown"

func (o Options) addResource(s *mcp.Server, r Resource) {
	if r.MIME == "" {
		r.MIME = markdown
	}
	s.AddResource(&mcp.Resource{URI: r.URI, Name: r.Name, Description: r.Description, MIMEType: r.MIME},
		func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text := o.voice.Say(r.Text(ctx, o.Caller))
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: r.MIME, Text: text}}}, nil
		})
}
