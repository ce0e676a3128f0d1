// Package pool offers the operations on the devices that sessions share: list claims, claim, renew, release and take over a device, and
// read the log of claims. Pool is its main type. Packages device/lease and device/pool have the rules; this package only translates.
package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops/access"
)

// Pool is the pool of devices that many agents share.
type Pool struct {
	access access.Access
	leases Leases
}

// New makes the operations on the pool.
func New(access access.Access, leases Leases) *Pool { return &Pool{access, leases} }

// Leases give the events of leases, and a notice about opening their state.
type Leases struct {
	Events *feed.Ring[LeaseEvent]
	Log    func(udid string, most int) ([]lease.Event, error)
	Notice func() string // a repair of the state when it was opened; empty: none
}

// Ops lists the operations on the pool.
func (p *Pool) Ops() []op.Op {
	return slices.Concat(p.listOps(), p.claimOps(), p.logOps())
}

func (p *Pool) listOps() []op.Op {
	groups := []string{"pool"}
	return []op.Op{
		op.New(op.Spec{
			Name: "list_device_pool", Groups: groups, Verb: "pool list", Route: "GET /api/v1/devices/pool",
			Summary: "List the devices and their claims", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"pool list", "pool list --claimed available --state booted"},
		}, p.list),
		op.New(op.Spec{
			Name: "refresh_devices", Groups: groups, Verb: "pool refresh", Route: "POST /api/v1/devices/refresh",
			Summary: "Refresh the list of devices", Hints: op.Idempotent, Timeout: time.Minute,
		}, p.refresh),
	}
}

// listPoolIn filters the pool.
type listPoolIn struct {
	State   string `json:"state,omitempty" doc:"only devices in this state" enum:"booted,shutdown"`
	Claimed string `json:"claimed,omitempty" doc:"only claimed devices, or only available ones" enum:"claimed,available"`
}

// listPoolOut lists the matching devices with their claims.
type listPoolOut struct {
	Devices []pool.Entry `json:"devices"`
	Total   int          `json:"total"`
	Notice  string       `json:"notice,omitempty"`
}

// Text has a line for each device.
func (o listPoolOut) Text() string {
	lines := []string{fmt.Sprintf("%d devices", o.Total)}
	for _, d := range o.Devices {
		lines = append(lines, entryLine(d))
	}
	return strings.Join(lines, "\n")
}

func entryLine(d pool.Entry) string {
	line := fmt.Sprintf("%s  %s  %s  %s  %s", d.UDID, d.State, d.OS, d.Name, d.ClaimStatus)
	if d.ClaimedBy != "" {
		line += " by " + d.ClaimedBy
		if d.Client != "" {
			line += " (" + d.Client + ")"
		}
	}
	if len(d.CoDrivers) > 0 {
		line += ", driven by " + strings.Join(d.CoDrivers, ", ") + " too,"
	}
	if d.ExpiresAt != nil {
		line += " until " + d.ExpiresAt.Format(time.RFC3339)
	}
	if d.Quarantine != "" {
		line += "  (quarantined: " + d.Quarantine + ")"
	}
	return line
}

func (p *Pool) list(ctx context.Context, c *op.Call, in listPoolIn) (listPoolOut, error) {
	all, err := p.access.Pool.Entries(ctx)
	if err != nil {
		return listPoolOut{}, err
	}
	out := listPoolOut{Devices: []pool.Entry{}}
	for _, e := range all {
		if (in.State == "" || e.State == in.State) && (in.Claimed == "" || e.ClaimStatus == in.Claimed) {
			out.Devices = append(out.Devices, e)
		}
	}
	out.Total = len(out.Devices)
	if p.leases.Notice != nil {
		if out.Notice = p.leases.Notice(); out.Notice != "" {
			c.Notify(op.Notice{Kind: op.Config, Text: out.Notice})
		}
	}
	return out, nil
}

// refreshOut is the number of devices.
type refreshOut struct {
	Status string `json:"status"`
	Count  int    `json:"device_count"`
}

// Text is one line.
func (o refreshOut) Text() string { return fmt.Sprintf("%d devices", o.Count) }

func (p *Pool) refresh(ctx context.Context, _ *op.Call, _ op.Nothing) (refreshOut, error) {
	n, err := p.access.Pool.Refresh(ctx)
	return refreshOut{Status: "refreshed", Count: n}, err
}
