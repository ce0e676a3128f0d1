package pool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

func (p *Pool) logOps() []op.Op {
	groups := []string{"pool"}
	all := []op.Op{
		op.New(op.Spec{
			Name: "device_claim_log", Groups: groups, Verb: "pool log", Route: "GET /api/v1/devices/pool/log",
			Summary: "List claims, releases and take-overs with reasons, newest first", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"pool log --limit 5"},
		}, p.log),
	}
	return append(all, op.NewStream(op.Spec{
		Name: "device_claims", Groups: groups, Verb: "pool watch", Route: "GET /api/v1/devices/pool/events",
		Summary: "Watch claims as they change", Hints: op.ReadOnly | op.Idempotent, Examples: []string{"pool watch"},
	}, p.watch)...)
}

// LeaseEvent is one event of a claim.
type LeaseEvent struct {
	Time   time.Time `json:"time"`
	What   string    `json:"what"` // claimed, renewed, released, expired, taken over, lost or cleaned
	UDID   string    `json:"udid"`
	Holder string    `json:"session_id,omitempty"`
	From   string    `json:"from,omitempty"`
	Epoch  uint64    `json:"epoch"`
	Reason string    `json:"reason,omitempty"`
}

func leaseEvent(e lease.Event) LeaseEvent {
	return LeaseEvent{
		Time: e.At.UTC(), What: e.What, UDID: e.Lease.Resource, Holder: e.Lease.Holder, From: e.From, Epoch: e.Lease.Epoch, Reason: e.Reason,
	}
}

// FeedLeases adds the events of leases to a ring until ctx ends.
func FeedLeases(ctx context.Context, table *lease.Table, ring *feed.Ring[LeaseEvent]) {
	for ctx.Err() == nil {
		for e := range table.Watch(ctx) {
			ring.Add(leaseEvent(e))
		}
	}
}

// watchIn says which devices to watch.
type watchIn struct {
	UDID string `json:"udid,omitempty" doc:"only this device"`
}

func (p *Pool) watch(ctx context.Context, _ *op.Call, in watchIn, at op.Cursor) (op.Page[LeaseEvent], error) {
	return p.leases.Events.Read(ctx, at, func(e LeaseEvent) bool { return in.UDID == "" || strings.EqualFold(e.UDID, in.UDID) })
}

// claimLogIn selects events of the log.
type claimLogIn struct {
	UDID  string `json:"udid,omitempty" doc:"only this device"`
	Limit int    `json:"limit,omitempty" doc:"maximum number" default:"50" min:"1" max:"1000" more:"true"`
}

// claimLogOut is the log, the newest first.
type claimLogOut struct {
	Events []LeaseEvent `json:"events"`
}

// Text has a line for each event.
func (o claimLogOut) Text() string {
	lines := []string{fmt.Sprintf("%d events", len(o.Events))}
	for _, e := range o.Events {
		line := fmt.Sprintf("%s  %s  %s", e.Time.Format(time.RFC3339), e.UDID, e.What)
		if e.Holder != "" {
			line += " by " + e.Holder
		}
		if e.From != "" {
			line += " from " + e.From
		}
		if e.Reason != "" {
			line += ": " + e.Reason
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (p *Pool) log(_ context.Context, _ *op.Call, in claimLogIn) (claimLogOut, error) {
	out := claimLogOut{Events: []LeaseEvent{}}
	events, err := p.leases.Log(in.UDID, in.Limit)
	if err != nil {
		return out, err
	}
	for _, e := range events {
		out.Events = append(out.Events, leaseEvent(e))
	}
	return out, nil
}
