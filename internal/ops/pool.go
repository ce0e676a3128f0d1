package ops

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

// pooled is the pool of devices that many agents share.
type pooled struct {
	desk
	leases Leases
}

// Leases are what is known of leases beside who has them now.
type Leases struct {
	Events *feed.Ring[LeaseEvent]
	Log    func(udid string, most int) ([]lease.Event, error)
	Notice func() string // what had to be done to open the state; empty: nothing
}

func (p *pooled) ops() []op.Op {
	groups := []string{"pool"}
	all := []op.Op{
		op.New(op.Spec{
			Name: "list_device_pool", Groups: groups, Verb: "pool list", Route: "GET /api/v1/devices/pool",
			Summary: "List the devices and who has claimed which", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"pool list", "pool list --claimed available --state booted"},
		}, p.list),
		op.New(op.Spec{
			Name: "resolve_device", Groups: groups, Verb: "pool resolve", Route: "POST /api/v1/devices/resolve",
			Summary: "Find the best free device that fits, claim it and make it the session's; boot or wait for one if told to",
			Help: "Among the devices that fit, one that is booted comes before one that is not, a free one before a claimed one, then the one used\n" +
				"last, then by name. A claim lasts 30 minutes and is renewed by use.",
			Hints: op.Idempotent, Timeout: 10 * time.Minute, Next: []string{"launch_app", "release_device"},
			Examples: []string{`pool resolve --name "iPhone 16 Pro" --auto-boot`, "pool resolve --os-version 18 --wait-if-busy --wait-timeout 60"},
		}, p.resolveDevice),
		op.New(op.Spec{
			Name: "claim_device", Groups: groups, Verb: "pool claim", Route: "POST /api/v1/devices/claim",
			Summary: "Claim a device as it is, booted or not, by udid or by what it is", Hints: op.Idempotent, Timeout: 10 * time.Minute,
			Next:     []string{"release_device"},
			Examples: []string{`pool claim --name "iPhone 16 Pro"`, "pool claim --reset erase"},
		}, p.claim),
		op.New(op.Spec{
			Name: "release_device", Groups: groups, Verb: "pool release", Route: "POST /api/v1/devices/release",
			Summary: "Give a claimed device back", Hints: op.Idempotent, Timeout: 6 * time.Minute,
			Examples: []string{"pool release", "pool release --udid UDID --reset terminate"},
		}, p.release),
		op.New(op.Spec{
			Name: "ensure_devices", Groups: groups, Verb: "pool ensure", Route: "POST /api/v1/devices/ensure",
			Summary: "Claim several devices and boot those that are off: all of them, or none", Hints: op.Idempotent, Timeout: 15 * time.Minute, Long: true,
			Examples: []string{"pool ensure 3", `pool ensure 2 --name "iPhone 16"`},
		}, p.ensure),
		op.New(op.Spec{
			Name: "renew_device", Groups: groups, Verb: "pool renew", Route: "POST /api/v1/devices/renew",
			Summary: "Make a claim last for its whole time again; using the device does the same", Hints: op.Idempotent,
			Examples: []string{"pool renew"},
		}, p.renew),
		op.New(op.Spec{
			Name: "take_over_device", Groups: groups, Verb: "pool take-over", Route: "POST /api/v1/devices/take-over",
			Summary: "Claim a device although another session has it; the reason is kept, and the other's commands are refused from then on",
			Hints:   op.Destructive, Examples: []string{`pool take-over UDID --reason "its agent is gone"`},
		}, p.takeOver),
		op.New(op.Spec{
			Name: "cleanup_devices", Groups: groups, Verb: "pool cleanup", Route: "POST /api/v1/devices/cleanup",
			Summary: "Release the claims that have run out; it happens by itself too", Hints: op.Idempotent,
		}, p.cleanup),
		op.New(op.Spec{
			Name: "refresh_devices", Groups: groups, Verb: "pool refresh", Route: "POST /api/v1/devices/refresh",
			Summary: "Ask the tools which devices there are now; it happens by itself too", Hints: op.Idempotent, Timeout: time.Minute,
		}, p.refresh),
		op.New(op.Spec{
			Name: "device_claim_log", Groups: groups, Verb: "pool log", Route: "GET /api/v1/devices/pool/log",
			Summary: "Tell who had which device, who took one over, and why; the newest first", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"pool log --limit 5"},
		}, p.log),
	}
	return append(all, op.NewStream(op.Spec{
		Name: "device_claims", Groups: groups, Verb: "pool watch", Route: "GET /api/v1/devices/pool/events",
		Summary: "Watch claims come and go", Hints: op.ReadOnly | op.Idempotent, Examples: []string{"pool watch"},
	}, p.watch)...)
}

// HolderIn says for whom.
type HolderIn struct {
	Holder string `json:"session_id,omitempty" doc:"whose claim it is, if not the client's session's, which may drive too" match:"^.{1,200}$"`
}

func (h HolderIn) of(c *op.Call) string {
	if h.Holder != "" {
		return h.Holder
	}
	return c.Session
}

// WantIn says which devices will do.
type WantIn struct {
	Name   string `json:"name,omitempty" doc:"the name: exactly this one, else one that holds it"`
	OS     string `json:"os_version,omitempty" doc:"the system, as 18.2 or iOS 18.2; 18 is any 18"`
	Family string `json:"device_family,omitempty" doc:"the family, such as iPhone or iPad; iPhone where nothing says otherwise"`
	Type   string `json:"device_type,omitempty" doc:"a simulator, or a device of metal and glass" enum:"simulator,device" default:"simulator"`
}

// PickIn is one device that will do.
type PickIn struct {
	UDID string `json:"udid,omitempty" doc:"this device and no other"`
	WantIn
}

func (in PickIn) want() pool.Want {
	w := pool.Want{UDID: in.UDID, Name: in.Name, OS: in.OS, Family: in.Family}
	if in.Type != "simulator" { // which is what is meant anyway
		w.Type = in.Type
	}
	return w
}

// BusyIn says how long to wait for a device that is taken.
type BusyIn struct {
	Wait    bool    `json:"wait_if_busy,omitempty" doc:"wait for one that is taken now; first come, first served"`
	Timeout float64 `json:"wait_timeout,omitempty" doc:"seconds to wait" min:"1" max:"120" default:"30"`
}

func (in BusyIn) time() time.Duration {
	if !in.Wait {
		return 0
	}
	return span(in.Timeout)
}

// AfterIn says what is to become of a device afterwards.
type AfterIn struct {
	Reset string `json:"reset,omitempty" doc:"when it is given back or the claim runs out: leave it as it is, end its apps, or erase it" enum:"none,terminate,erase"`
}

// BootWaitIn says how long a boot may take.
type BootWaitIn struct {
	BootTimeout float64 `json:"boot_timeout,omitempty" doc:"seconds a boot may take" min:"1" max:"600" default:"30"`
}

// ListPoolIn filters the pool.
type ListPoolIn struct {
	State   string `json:"state,omitempty" doc:"only devices in this state" enum:"booted,shutdown"`
	Claimed string `json:"claimed,omitempty" doc:"only those that are claimed, or only those that are not" enum:"claimed,available"`
}

// ListPoolOut is every device that fits, with its claim.
type ListPoolOut struct {
	Devices []pool.Entry `json:"devices"`
	Total   int          `json:"total"`
	Notice  string       `json:"notice,omitempty"`
}

// Text is one line a device.
func (o ListPoolOut) Text() string {
	lines := []string{fmt.Sprintf("%d devices", o.Total)}
	if o.Notice != "" {
		lines = append(lines, "notice: "+o.Notice)
	}
	for _, d := range o.Devices {
		lines = append(lines, entryLine(d))
	}
	return strings.Join(lines, "\n")
}

func entryLine(d pool.Entry) string {
	line := fmt.Sprintf("%s  %s  %s  %s  %s", d.UDID, d.State, d.OS, d.Name, d.ClaimStatus)
	if d.ClaimedBy != "" {
		line += " by " + d.ClaimedBy
	}
	if len(d.CoDrivers) > 0 {
		line += ", driven by " + strings.Join(d.CoDrivers, ", ") + " too,"
	}
	if d.ExpiresAt != nil {
		line += " until " + d.ExpiresAt.Format(time.RFC3339)
	}
	if d.Quarantine != "" {
		line += "  (aside: " + d.Quarantine + ")"
	}
	return line
}

func (p *pooled) list(ctx context.Context, _ *op.Call, in ListPoolIn) (ListPoolOut, error) {
	all, err := p.pool.Entries(ctx)
	if err != nil {
		return ListPoolOut{}, err
	}
	out := ListPoolOut{Devices: []pool.Entry{}}
	for _, e := range all {
		if (in.State == "" || e.State == in.State) && (in.Claimed == "" || e.ClaimStatus == in.Claimed) {
			out.Devices = append(out.Devices, e)
		}
	}
	out.Total = len(out.Devices)
	if p.leases.Notice != nil {
		out.Notice = p.leases.Notice()
	}
	return out, nil
}

// ResolveIn says which device is wanted, and what may be done to get it.
type ResolveIn struct {
	PickIn
	Boot bool `json:"auto_boot,omitempty" doc:"boot one that is off when none that is on is free"`
	BusyIn
	HolderIn
	AfterIn
	BootWaitIn
}

// ResolveOut is the device.
type ResolveOut struct {
	UDID      string     `json:"udid"`
	Name      string     `json:"name"`
	State     string     `json:"state"`
	OS        string     `json:"os_version"`
	Waited    float64    `json:"waited_seconds"`
	ClaimedBy string     `json:"claimed_by"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	Epoch     uint64     `json:"epoch"`
	WasBooted bool       `json:"was_booted"` // before this call
	Active    bool       `json:"active"`     // it is the session's device now
}

// Text says it in a line.
func (o ResolveOut) Text() string {
	text := fmt.Sprintf("%s  %s  %s  %s  claimed by %s", o.UDID, o.State, o.OS, o.Name, o.ClaimedBy)
	if o.Waited >= 0.01 {
		text += fmt.Sprintf(" after %.2f s", o.Waited)
	}
	return text
}

func (p *pooled) resolveDevice(ctx context.Context, c *op.Call, in ResolveIn) (ResolveOut, error) {
	grants, waited, err := p.acquire(ctx, c, pool.Ask{
		Want: in.want(), Holder: in.of(c), By: c.Session, On: true, Boot: in.Boot, Wait: in.time(), Reset: in.Reset,
		BootWait: span(in.BootTimeout),
	})
	if err != nil {
		return ResolveOut{}, err
	}
	e := grants[0].Entry()
	return ResolveOut{
		UDID: e.UDID, Name: e.Name, State: e.State, OS: e.OS, Waited: math.Round(waited.Seconds()*100) / 100, ClaimedBy: e.ClaimedBy,
		ExpiresAt: e.ExpiresAt, Epoch: e.Epoch, WasBooted: !grants[0].Booted, Active: true,
	}, nil
}

// acquire gets devices from the pool and makes the first one the holder's current one.
func (p *pooled) acquire(ctx context.Context, c *op.Call, a pool.Ask) ([]pool.Grant, time.Duration, error) {
	a.Tell = c.Progress
	grants, waited, err := p.pool.Acquire(ctx, a)
	if err != nil {
		return nil, waited, err
	}
	first := grants[0].Info
	udids := make([]string, len(grants))
	for i, g := range grants {
		udids[i] = g.Info.UDID
	}
	holder := p.sessions.Get(a.Holder)
	holder.Use(first.UDID)
	holder.Claim(udids)
	c.Device = &op.Device{UDID: first.UDID, Name: first.Name}
	return grants, waited, nil
}

// ClaimIn says which device is claimed.
type ClaimIn struct {
	HolderIn
	PickIn
	BusyIn
	AfterIn
}

// ClaimOut is a claimed device.
type ClaimOut struct {
	Status string     `json:"status"` // claimed, renewed or taken over
	Device pool.Entry `json:"device"`
	From   string     `json:"from,omitempty"` // whose it was before
}

// Text says it in a line.
func (o ClaimOut) Text() string {
	text := o.Status + " " + entryLine(o.Device)
	if o.From != "" {
		text += ", from " + o.From
	}
	return text
}

func (p *pooled) claim(ctx context.Context, c *op.Call, in ClaimIn) (ClaimOut, error) {
	grants, _, err := p.acquire(ctx, c, pool.Ask{Want: in.want(), Holder: in.of(c), By: c.Session, Wait: in.time(), Reset: in.Reset})
	if err != nil {
		return ClaimOut{}, err
	}
	return ClaimOut{Status: "claimed", Device: grants[0].Entry()}, nil
}

// ClaimedIn names a claimed device.
type ClaimedIn struct {
	UDID string `json:"udid,omitempty" doc:"the device; else the one claimed last" cli:"arg"`
	HolderIn
}

// find gives the device that is meant and its holder's name.
func (p *pooled) find(ctx context.Context, c *op.Call, in ClaimedIn) (pool.Entry, string, error) {
	holder := in.of(c)
	if in.UDID == "" {
		last, err := p.pool.LastClaim(ctx, holder, p.sessions.Get(holder).LastClaims())
		if err != nil {
			return pool.Entry{}, holder, err
		}
		in.UDID = last
	}
	if in.UDID == "" { // what it took by using it
		h, err := p.pool.Resolve(ctx, pool.Criteria{Current: p.sessions.Get(holder).Device(), Holder: holder})
		if err != nil {
			return pool.Entry{}, holder, err
		}
		in.UDID = h.Info().UDID
	}
	e, err := p.pool.Entry(ctx, in.UDID)
	if err == nil {
		c.Device = &op.Device{UDID: e.UDID, Name: e.Name}
	}
	return e, holder, err
}

// ReleaseIn names the device to give back.
type ReleaseIn struct {
	ClaimedIn
	AfterIn
}

// ReleaseOut is a device that is free again.
type ReleaseOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`

	name string
}

// Text says it in a line.
func (o ReleaseOut) Text() string { return fmt.Sprintf("%s %s (%s)", o.Status, o.name, o.UDID) }

func (p *pooled) release(ctx context.Context, c *op.Call, in ReleaseIn) (ReleaseOut, error) {
	e, holder, err := p.find(ctx, c, in.ClaimedIn)
	if err != nil {
		return ReleaseOut{}, err
	}
	if _, err := p.pool.Release(ctx, holder, e.UDID, in.Reset); err != nil {
		return ReleaseOut{}, err
	}
	if s := p.sessions.Get(holder); s.Device() == e.UDID {
		s.Use("")
	}
	return ReleaseOut{Status: "released", UDID: e.UDID, name: e.Name}, nil
}

// EnsureIn says how many devices, and which.
type EnsureIn struct {
	Count int `json:"count" doc:"how many" min:"1" max:"100" cli:"arg"`
	WantIn
	Boot *bool `json:"auto_boot,omitempty" doc:"boot what is off; true unless it says false"`
	HolderIn
	AfterIn
	BootWaitIn
}

// EnsureOut is the devices, all of them.
type EnsureOut struct {
	Devices   []EnsuredOut `json:"devices"`
	Available int          `json:"total_available"`
	Session   string       `json:"session_id"`
	Booted    int          `json:"total_newly_booted"`
}

// EnsuredOut is one of them.
type EnsuredOut struct {
	UDID      string `json:"udid"`
	Name      string `json:"name"`
	State     string `json:"state"`
	WasBooted bool   `json:"was_booted"`
}

// Text is one line a device.
func (o EnsureOut) Text() string {
	lines := []string{fmt.Sprintf("%d devices claimed by %s, %d of them booted for it", len(o.Devices), o.Session, o.Booted)}
	for _, d := range o.Devices {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", d.UDID, d.State, d.Name))
	}
	return strings.Join(lines, "\n")
}

func (p *pooled) ensure(ctx context.Context, c *op.Call, in EnsureIn) (EnsureOut, error) {
	grants, _, err := p.acquire(ctx, c, pool.Ask{
		Want: PickIn{WantIn: in.WantIn}.want(), Holder: in.of(c), By: c.Session, Count: in.Count, On: true,
		Boot: in.Boot == nil || *in.Boot, Reset: in.Reset, BootWait: span(in.BootTimeout),
	})
	if err != nil {
		return EnsureOut{}, err
	}
	out := EnsureOut{Session: in.of(c), Available: len(grants)}
	for _, g := range grants {
		out.Devices = append(out.Devices, EnsuredOut{g.Info.UDID, g.Info.Name, g.Info.State, !g.Booted})
		if g.Booted {
			out.Booted++
		}
	}
	return out, nil
}

// RenewIn names the claimed device.
type RenewIn struct{ ClaimedIn }

func (p *pooled) renew(ctx context.Context, c *op.Call, in RenewIn) (ClaimOut, error) {
	e, holder, err := p.find(ctx, c, in.ClaimedIn)
	if err != nil {
		return ClaimOut{}, err
	}
	e, err = p.pool.Renew(ctx, holder, e.UDID)
	return ClaimOut{Status: "renewed", Device: e}, err
}

// TakeOverIn names a device and says why.
type TakeOverIn struct {
	UDID   string `json:"udid" doc:"the device" cli:"arg"`
	Reason string `json:"reason" doc:"why; it is kept and shown"`
	HolderIn
}

func (p *pooled) takeOver(ctx context.Context, c *op.Call, in TakeOverIn) (ClaimOut, error) {
	holder := in.of(c)
	ask := pool.Ask{Want: pool.Want{UDID: in.UDID}, Holder: holder, By: c.Session}
	e, before, err := p.pool.TakeOver(ctx, ask, in.Reason)
	if err != nil {
		return ClaimOut{}, err
	}
	session := p.sessions.Get(holder)
	session.Use(e.UDID)
	session.Claim([]string{e.UDID})
	c.Device = &op.Device{UDID: e.UDID, Name: e.Name}
	return ClaimOut{Status: "taken over", Device: e, From: before.Holder}, nil
}

// NothingIn is no input.
type NothingIn struct{}

// CleanupOut is what had run out.
type CleanupOut struct {
	Status   string   `json:"status"`
	Released []string `json:"devices_released"`
	Count    int      `json:"count"`
}

// Text says how much.
func (o CleanupOut) Text() string { return fmt.Sprintf("%d claims had run out", o.Count) }

func (p *pooled) cleanup(ctx context.Context, _ *op.Call, _ NothingIn) (CleanupOut, error) {
	ended, err := p.pool.Cleanup(ctx)
	return CleanupOut{Status: "cleaned", Released: ended, Count: len(ended)}, err
}

// RefreshOut is how many devices there are.
type RefreshOut struct {
	Status string `json:"status"`
	Count  int    `json:"device_count"`
}

// Text says how many.
func (o RefreshOut) Text() string { return fmt.Sprintf("%d devices", o.Count) }

func (p *pooled) refresh(ctx context.Context, _ *op.Call, _ NothingIn) (RefreshOut, error) {
	n, err := p.pool.Refresh(ctx)
	return RefreshOut{Status: "refreshed", Count: n}, err
}
