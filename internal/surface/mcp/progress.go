package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
)

// call runs an operation and reports its progress to a client that requested it.
func (o Options) call(ctx context.Context, req *mcp.CallToolRequest, id string, input []byte) op.Envelope {
	ctx = op.WithClient(ctx, clientOf(req))
	if o.Manner.Alone {
		ctx = op.WithAlone(ctx)
	}
	token := req.Params.GetProgressToken()
	if token == nil {
		return o.Caller.Call(ctx, id, input, nil)
	}
	t := &teller{last: -unmeasured, tell: func(p *mcp.ProgressNotificationParams) {
		p.ProgressToken = token
		_ = req.Session.NotifyProgress(ctx, p) // the call itself notices a disconnected client
	}}
	defer t.end()
	return o.Caller.Call(ctx, id, input, t.hear)
}

// clientOf is the client's name from its connection; empty without a session.
func clientOf(req *mcp.CallToolRequest) string {
	if req.Session != nil {
		if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil && p.ClientInfo.Name != "" {
			return p.ClientInfo.Name
		}
	}
	return "mcp"
}

// unmeasured is added to the last number for an event without one, so that the numbers increase.
const unmeasured = 0.001

// teller turns events into notifications. MCP requires increasing numbers and no notification after the answer; events guarantee neither,
// and may come from several goroutines.
type teller struct {
	tell func(*mcp.ProgressNotificationParams)

	mu   sync.Mutex
	last float64
	over bool
}

func (t *teller) hear(e op.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.last = max(e.Done, t.last+unmeasured)
	t.tell(&mcp.ProgressNotificationParams{Progress: t.last, Total: e.Total, Message: e.Message})
}

func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}
