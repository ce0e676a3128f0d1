package system

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

// events streams finished calls of all sessions, for people who watch agents work and for agents that ask what others did.
type events struct{ ring *feed.Ring[op.Record] }

// NewEvents makes the stream of finished calls.
func NewEvents(ring *feed.Ring[op.Record]) *events { return &events{ring} }

// Ops lists the operations of the stream.
func (e *events) Ops() []op.Op {
	return op.NewStream(op.Spec{
		Name: "events", Groups: []string{"system"}, Route: "GET /api/v1/events",
		Summary: "Watch the calls of all sessions as they end", Hints: op.ReadOnly | op.Idempotent,
		Examples: []string{"events", "events --failed"},
	}, e.read)
}

// eventsIn selects calls.
type eventsIn struct {
	Operation string `json:"operation,omitempty" doc:"only this operation"`
	Of        string `json:"of,omitempty" doc:"only this session"`
	Failed    bool   `json:"failed,omitempty" doc:"only failed calls"`
}

func (e *events) read(ctx context.Context, _ *op.Call, in eventsIn, at op.Cursor) (op.Page[op.Record], error) {
	return e.ring.Read(ctx, at, func(r op.Record) bool {
		return (in.Operation == "" || r.Op == in.Operation) && (in.Of == "" || r.Session == in.Of) && (!in.Failed || r.Code != "")
	})
}
