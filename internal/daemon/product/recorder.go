package product

import (
	"context"
	"log/slog"

	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// recorder records every call, as an event and in the log. A session's calls keep the resources that it follows in use.
type recorder struct {
	events  *feed.Ring[op.Record]
	streams *streams.Manager
	owners  *owners
	said    *telemetry.Store
	log     *slog.Logger
}

func (r recorder) end(_ context.Context, x *op.Exchange) {
	one := x.Record()
	r.events.Add(one)
	if r.owners.left(one.Session) {
		r.said.EndFilters(one.Session) // before it counts as a new session
	}
	r.owners.calls.Heard(one.Session)
	if one.Device != nil {
		r.streams.Heard(one.Session, one.Device.UDID, one.Code == "")
	} else {
		r.streams.Heard(one.Session, "", false)
	}
	r.log.Info("call", "op", one.Op, "session", one.Session, "trace", one.Trace, "took_ms", one.TookMS, "code", one.Code)
}
