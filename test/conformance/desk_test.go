package conformance

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
)

// desk answers calls in place of a daemon, and counts them.
type desk struct {
	calls atomic.Int32
	// work is what a call does.
	work func(ctx context.Context, progress func(op.Event)) op.Envelope
}

var _ op.Caller = (*desk)(nil)

func (d *desk) Call(ctx context.Context, _ string, _ []byte, progress func(op.Event)) op.Envelope {
	d.calls.Add(1)
	return d.work(ctx, progress)
}

func (d *desk) Stream(context.Context, string, []byte, func(json.RawMessage) error) op.Envelope {
	panic("MCP calls no streams")
}

// server serves one tool, work.
func (d *desk) server(t *testing.T) *sdk.Server {
	t.Helper()
	catalogue := op.NewCatalogue([]op.Op{op.New(op.Spec{Name: "work", Groups: []string{"test"}, Summary: "Work", Default: true},
		func(context.Context, *op.Call, struct{}) (struct{}, error) { panic("the desk answers") })}, op.Options{})
	tools, err := mcp.Select(catalogue.Ops(), mcp.Default)
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server(mcp.Options{Version: "test", Catalogue: catalogue, Tools: tools, Caller: d})
}

// hanging works until it is told to stop, or the test has waited in vain.
func hanging(t *testing.T) (d *desk, begun, cancelled chan struct{}) {
	begun, cancelled = make(chan struct{}), make(chan struct{})
	return &desk{work: func(ctx context.Context, _ func(op.Event)) op.Envelope {
		close(begun)
		select {
		case <-ctx.Done():
			close(cancelled)
		case <-t.Context().Done():
		}
		return op.Failed(context.Canceled, op.Meta{})
	}}, begun, cancelled
}
