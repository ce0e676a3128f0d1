package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
)

// Manner is how a set of tools presents itself to its client.
type Manner struct {
	// Instructions are all that a model is told before it sees the tools; empty: ours.
	Instructions string
	// Alone is a set that stands for another product: none of our tools is beside it, and no answer names a tool that it lacks.
	Alone bool
	// Also are the sets that belong to this one besides its own.
	Also []string
	// Discovery lets a client have tools listed when it needs them; nil: all are from the start.
	Discovery *Discovery
	// Say writes the answer to a call with this input down; nil: as text, with what usually comes next.
	Say func(o op.Op, e op.Envelope, input []byte) string
	// Resources are documents that a client can read.
	Resources []Resource
}

// Resource is a document a client can read.
type Resource struct {
	URI, Name, Description string
	MIME                   string // empty: Markdown
	// Text is the document. It may ask the product: what goes wrong then is told in the document.
	Text func(context.Context, op.Caller) string
}

// markdown is what a resource is unless it says otherwise.
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
