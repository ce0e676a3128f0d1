package product

import (
	"context"
	"log/slog"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/session"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
)

// owners knows which sessions exist, and what they drive. The resources of a session end when it has ended.
type owners struct {
	calls *session.Calls
	table *lease.Table // set before the first call
}

// left reports whether a session made no call for long and drives no device.
func (o *owners) left(session string) bool {
	return o.calls.Left(session) && !o.drives(session)
}

func (o *owners) drives(session string) bool {
	for _, l := range o.held(context.Background()) {
		if l.DrivenBy(session) {
			return true
		}
	}
	return false
}

// held are the leases of sessions. It is empty when the leases cannot be read: calls that drive a device report that error.
func (o *owners) held(ctx context.Context) map[string]lease.Lease {
	all, _ := o.table.All(ctx)
	for udid, l := range all {
		if !l.Held() || l.Kind == lease.Repair {
			delete(all, udid)
		}
	}
	return all
}

// drivers are the sessions that drive devices.
func (o *owners) drivers(ctx context.Context) rules.Drivers {
	all := rules.Drivers{}
	for udid, l := range o.held(ctx) {
		all[udid] = append([]string{l.Holder}, l.CoDrivers.List()...)
	}
	return all
}

// scopeLimit is how long a device waits for the proxy: a proxy that does not start must not block the device.
const scopeLimit = 5 * time.Second

// scope tells the proxy who drives which device. If that takes too long, follow tells it later.
func (o *owners) scope(ctx context.Context, p *proxy.Controller) error {
	ctx, cancel := context.WithTimeout(ctx, scopeLimit)
	defer cancel()
	return p.Scope(ctx)
}

// follow tells the proxy when leases end or are shared, until ctx ends. That one began it hears before the device is driven.
func (o *owners) follow(ctx context.Context, p *proxy.Controller, log *slog.Logger) {
	for ctx.Err() == nil {
		for e := range o.table.Watch(ctx) {
			if e.What == lease.Renewed {
				continue
			}
			if err := p.Scope(ctx); err != nil && ctx.Err() == nil {
				log.Warn("the proxy does not know who drives which device", "error", err)
			}
		}
	}
}
