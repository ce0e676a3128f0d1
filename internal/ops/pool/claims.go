package pool

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/text/oneline"
)

func (p *Pool) claimOps() []op.Op {
	groups := []string{"pool"}
	return []op.Op{
		op.New(op.Spec{
			Name: "resolve_device", Groups: groups, Verb: "pool resolve", Route: "POST /api/v1/devices/resolve",
			Summary: "Choose the best free device; claim it if session_id is given",
			Help: "The device becomes the session's device. Without session_id it is not claimed: two callers may get the same device, and\n" +
				"the first to drive it keeps it. The order of devices: booted, then free, then last used, then by name. A claim lasts\n" +
				"30 minutes; using the device renews it.",
			Hints: op.Idempotent | op.Repeatable, Timeout: 10 * time.Minute, Next: []string{"launch_app", "release_device"},
			Examples: []string{`pool resolve --name "iPhone 16 Pro" --auto-boot`,
				"pool resolve --os-version 18 --wait-if-busy --wait-timeout 60 --session-id tests"},
		}, p.resolveDevice),
		op.New(op.Spec{
			Name: "claim_device", Groups: groups, Verb: "pool claim", Route: "POST /api/v1/devices/claim",
			Summary: "Claim a device by its udid or its properties",
			Hints:   op.Idempotent | op.Repeatable, Timeout: 10 * time.Minute, Next: []string{"release_device"},
			Examples: []string{`pool claim --name "iPhone 16 Pro"`, "pool claim --reset erase"},
		}, p.claim),
		op.New(op.Spec{
			Name: "release_device", Groups: groups, Verb: "pool release", Route: "POST /api/v1/devices/release",
			Summary: "Give a claimed device back", Hints: op.Idempotent, Timeout: 6 * time.Minute,
			Examples: []string{"pool release", "pool release --udid UDID --reset terminate"},
		}, p.release),
		op.New(op.Spec{
			Name: "ensure_devices", Groups: groups, Verb: "pool ensure", Route: "POST /api/v1/devices/ensure",
			Summary: "Claim several devices and boot them: all or none", Hints: op.Idempotent | op.Repeatable,
			Timeout: 15 * time.Minute, Long: true,
			Examples: []string{"pool ensure 3", `pool ensure 2 --name "iPhone 16"`},
		}, p.ensure),
		op.New(op.Spec{
			Name: "renew_device", Groups: groups, Verb: "pool renew", Route: "POST /api/v1/devices/renew",
			Summary: "Renew a claim, as using the device does", Hints: op.Idempotent,
			Examples: []string{"pool renew"},
		}, p.renew),
		op.New(op.Spec{
			Name: "take_over_device", Groups: groups, Verb: "pool take-over", Route: "POST /api/v1/devices/take-over",
			Summary: "Take a device from another session, with a logged reason",
			Hints:   op.Destructive, Examples: []string{`pool take-over UDID --reason "its agent is gone"`},
		}, p.takeOver),
		op.New(op.Spec{
			Name: "cleanup_devices", Groups: groups, Verb: "pool cleanup", Route: "POST /api/v1/devices/cleanup",
			Summary: "Release expired claims", Hints: op.Idempotent,
		}, p.cleanup),
	}
}

// holderIn names the holder of a claim.
type holderIn struct {
	Holder string `json:"session_id,omitempty" doc:"the holder, if not this session; both may drive" match:"^[^\\p{C}\\p{Zl}\\p{Zp}]{1,200}$"`
}

func (h holderIn) of(c *op.Call) string {
	if h.Holder != "" {
		return h.Holder
	}
	return c.Session
}

// wantIn describes the wanted devices.
type wantIn struct {
	Name   string `json:"name,omitempty" doc:"exact name, else a name that contains it"`
	OS     string `json:"os_version,omitempty" doc:"system version: 18.2, iOS 18.2, or 18 for any 18"`
	Family string `json:"device_family,omitempty" doc:"such as iPhone or iPad; default with no other input: iPhone"`
	Type   string `json:"device_type,omitempty" doc:"simulator or physical device" enum:"simulator,device" default:"simulator"`
}

// pickIn describes one wanted device.
type pickIn struct {
	UDID string `json:"udid,omitempty" doc:"exactly this device"`
	wantIn
}

func (in pickIn) want() pool.Want {
	w := pool.Want{UDID: in.UDID, Name: in.Name, OS: in.OS, Family: in.Family}
	if in.Type != "simulator" { // simulators are the pool's own default
		w.Type = in.Type
	}
	return w
}

// busyIn says how long to wait for a claimed device.
type busyIn struct {
	Wait    bool    `json:"wait_if_busy,omitempty" doc:"wait for a claimed device; first come, first served"`
	Timeout float64 `json:"wait_timeout,omitempty" doc:"seconds to wait" min:"1" max:"540" default:"30" unit:"s"`
}

func (in busyIn) time() time.Duration {
	if !in.Wait {
		return 0
	}
	return op.Seconds(in.Timeout)
}

// afterIn is the reset of a device at the end of its claim.
type afterIn struct {
	Reset op.Loss `json:"reset,omitempty" doc:"reset at the end of the claim: none, end apps, or erase" enum:"none,terminate,erase"`
}

// bootWaitIn is the time limit of a boot.
type bootWaitIn struct {
	BootTimeout float64 `json:"boot_timeout,omitempty" doc:"time limit of a boot" min:"1" max:"600" default:"30" unit:"s"`
}

// resolveIn describes the wanted device, and says whether to boot or wait.
type resolveIn struct {
	pickIn
	Boot bool `json:"auto_boot,omitempty" doc:"boot a device if no booted one is free"`
	busyIn
	holderIn
	afterIn
	bootWaitIn
}

// resolveOut is the chosen device.
type resolveOut struct {
	UDID      string     `json:"udid"`
	Name      string     `json:"name"`
	State     string     `json:"state"`
	OS        string     `json:"os_version"`
	Waited    float64    `json:"waited_seconds"`
	ClaimedBy string     `json:"claimed_by,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	Epoch     uint64     `json:"epoch,omitempty"`
	WasBooted bool       `json:"was_booted"` // before this call
	Active    bool       `json:"active"`     // it is now the session's device
}

// Text is one line.
func (o resolveOut) Text() string {
	text := fmt.Sprintf("%s  %s  %s  %s  ", o.UDID, o.State, o.OS, o.Name)
	if o.ClaimedBy == "" {
		text += "not claimed"
	} else {
		text += "claimed by " + o.ClaimedBy
	}
	if o.Waited >= 0.01 {
		text += fmt.Sprintf(" after %.2f s", o.Waited)
	}
	return text
}

func (p *Pool) resolveDevice(ctx context.Context, c *op.Call, in resolveIn) (resolveOut, error) {
	ask := pool.Ask{
		Want: in.want(), Holder: in.of(c), By: c.Session, On: true, Boot: in.Boot, Wait: in.time(), Reset: string(in.Reset),
		BootWait: op.Seconds(in.BootTimeout), Env: p.access.Environ(c),
	}
	if in.Holder == "" {
		return p.find(ctx, c, ask)
	}
	grants, waited, err := p.acquire(ctx, c, ask)
	if err != nil {
		return resolveOut{}, err
	}
	e := grants[0].Entry()
	return resolveOut{
		UDID: e.UDID, Name: e.Name, State: e.State, OS: e.OS, Waited: rounded(waited), ClaimedBy: e.ClaimedBy,
		ExpiresAt: e.ExpiresAt, Epoch: e.Epoch, WasBooted: !grants[0].Booted, Active: true,
	}, nil
}

// find chooses a free device and claims none.
func (p *Pool) find(ctx context.Context, c *op.Call, a pool.Ask) (resolveOut, error) {
	if a.Reset != "" {
		return resolveOut{}, fault.New(fault.InvalidInput, "resolve_device: reset needs a claim, and a claim needs session_id").
			With("field", "reset").WithHint("add %s", hint.Field("session_id"))
	}
	a.Tell = c.Progress
	g, waited, err := p.access.Pool.Find(ctx, a)
	if err != nil {
		return resolveOut{}, err
	}
	i := g.Info
	p.session(c).Use(access.Choice(i))
	c.Device = &op.Device{UDID: i.UDID, Name: i.Name}
	return resolveOut{UDID: i.UDID, Name: i.Name, State: i.State, OS: i.OS, Waited: rounded(waited), WasBooted: !g.Booted, Active: true}, nil
}

// session is the caller's session, with the caller's client and folder noted.
func (p *Pool) session(c *op.Call) *session.Session {
	s := p.access.Sessions.Get(c.Session)
	s.From(c.Client, c.Dir)
	return s
}

func rounded(d time.Duration) float64 { return math.Round(d.Seconds()*100) / 100 }

// acquire claims devices and makes the first one the holder's device.
func (p *Pool) acquire(ctx context.Context, c *op.Call, a pool.Ask) ([]pool.Grant, time.Duration, error) {
	a.Tell, a.Claim = c.Progress, c.Request
	grants, waited, err := p.access.Pool.Acquire(ctx, a)
	if err != nil {
		return nil, waited, err
	}
	first := grants[0].Info
	udids := make([]string, len(grants))
	for i, g := range grants {
		udids[i] = g.Info.UDID
	}
	holder := p.access.Sessions.Get(a.Holder)
	holder.From(c.Client, c.Dir)
	if a.Holder == c.Session || holder.Choice() == (session.Choice{}) { // a call of another session does not replace the holder's choice
		holder.Use(access.Choice(first))
	}
	holder.Claim(udids)
	c.Device = &op.Device{UDID: first.UDID, Name: first.Name}
	return grants, waited, nil
}

// claimIn describes the device to claim.
type claimIn struct {
	holderIn
	pickIn
	busyIn
	afterIn
}

// claimOut is a claimed device.
type claimOut struct {
	Status string     `json:"status"` // claimed, renewed or taken over
	Device pool.Entry `json:"device"`
	From   string     `json:"from,omitempty"` // the previous holder
}

// Text is one line.
func (o claimOut) Text() string {
	text := o.Status + " " + entryLine(o.Device)
	if o.From != "" {
		text += ", from " + o.From
	}
	return text
}

func (p *Pool) claim(ctx context.Context, c *op.Call, in claimIn) (claimOut, error) {
	grants, _, err := p.acquire(ctx, c, pool.Ask{
		Want: in.want(), Holder: in.of(c), By: c.Session, Wait: in.time(), Reset: string(in.Reset), Env: p.access.Environ(c),
	})
	if err != nil {
		return claimOut{}, err
	}
	return claimOut{Status: "claimed", Device: grants[0].Entry()}, nil
}

// claimedIn names a claimed device.
type claimedIn struct {
	UDID string `json:"udid,omitempty" doc:"default: the device claimed last" cli:"arg"`
	holderIn
}

// claimed finds the device of the call, and who acts on its claim.
func (p *Pool) claimed(ctx context.Context, c *op.Call, in claimedIn) (pool.Entry, lease.Who, error) {
	holder := in.of(c)
	who := lease.Who{Holder: holder, By: c.Session}
	if in.UDID == "" {
		last, err := p.access.Pool.LastClaim(ctx, holder, p.access.Sessions.Get(holder).LastClaims())
		if err != nil {
			return pool.Entry{}, who, err
		}
		in.UDID = last
	}
	if in.UDID == "" { // a device that the holder claimed by using it
		h, err := p.access.Pool.Resolve(ctx, pool.Criteria{Current: p.access.Sessions.Get(holder).Device(), Holder: holder})
		if err != nil {
			return pool.Entry{}, who, err
		}
		in.UDID = h.Info().UDID
	}
	e, err := p.access.Pool.Entry(ctx, in.UDID)
	if err == nil {
		c.Device = &op.Device{UDID: e.UDID, Name: e.Name}
	}
	return e, who, err
}

// releaseIn names the device to release.
type releaseIn struct {
	claimedIn
	afterIn
}

// releaseOut is a released device.
type releaseOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`

	name string
}

// Text is one line.
func (o releaseOut) Text() string {
	return fmt.Sprintf("%s %s (%s)", o.Status, oneline.Of(o.name), o.UDID)
}

func (p *Pool) release(ctx context.Context, c *op.Call, in releaseIn) (releaseOut, error) {
	e, who, err := p.claimed(ctx, c, in.claimedIn)
	if err != nil {
		return releaseOut{}, err
	}
	if _, err := p.access.Pool.Release(ctx, who, e.UDID, string(in.Reset)); err != nil {
		return releaseOut{}, err
	}
	if s := p.access.Sessions.Get(who.Holder); s.Device() == e.UDID {
		s.Use(session.Choice{})
	}
	return releaseOut{Status: "released", UDID: e.UDID, name: e.Name}, nil
}

// ensureIn says how many devices are wanted, and which.
type ensureIn struct {
	Count int `json:"count" doc:"number of devices" min:"1" max:"100" cli:"arg"`
	wantIn
	Boot *bool `json:"auto_boot,omitempty" doc:"boot the devices; default: true"`
	holderIn
	afterIn
	bootWaitIn
}

// ensureOut lists the claimed devices.
type ensureOut struct {
	Devices   []ensuredOut `json:"devices"`
	Available int          `json:"total_available"`
	Session   string       `json:"session_id"`
	Booted    int          `json:"total_newly_booted"`
}

// ensuredOut is a claimed device.
type ensuredOut struct {
	UDID      string `json:"udid"`
	Name      string `json:"name"`
	State     string `json:"state"`
	WasBooted bool   `json:"was_booted"`
}

// Text has a line for each device.
func (o ensureOut) Text() string {
	lines := []string{fmt.Sprintf("%d devices claimed by %s, %d of them newly booted", len(o.Devices), o.Session, o.Booted)}
	for _, d := range o.Devices {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", d.UDID, d.State, d.Name))
	}
	return strings.Join(lines, "\n")
}

func (p *Pool) ensure(ctx context.Context, c *op.Call, in ensureIn) (ensureOut, error) {
	grants, _, err := p.acquire(ctx, c, pool.Ask{
		Want: pickIn{wantIn: in.wantIn}.want(), Holder: in.of(c), By: c.Session, Count: in.Count, On: true, Boot: in.Boot == nil || *in.Boot,
		Reset: string(in.Reset), BootWait: op.Seconds(in.BootTimeout),
	})
	if err != nil {
		return ensureOut{}, err
	}
	out := ensureOut{Session: in.of(c), Available: len(grants)}
	for _, g := range grants {
		out.Devices = append(out.Devices, ensuredOut{g.Info.UDID, g.Info.Name, g.Info.State, !g.Booted})
		if g.Booted {
			out.Booted++
		}
	}
	return out, nil
}

// renewIn names the claimed device.
type renewIn struct{ claimedIn }

func (p *Pool) renew(ctx context.Context, c *op.Call, in renewIn) (claimOut, error) {
	e, who, err := p.claimed(ctx, c, in.claimedIn)
	if err != nil {
		return claimOut{}, err
	}
	e, err = p.access.Pool.Renew(ctx, who, e.UDID)
	return claimOut{Status: "renewed", Device: e}, err
}

// takeOverIn names a device and says why.
type takeOverIn struct {
	UDID   string `json:"udid" doc:"the device" cli:"arg"`
	Reason string `json:"reason" doc:"why; it is logged and shown"`
	holderIn
}

func (p *Pool) takeOver(ctx context.Context, c *op.Call, in takeOverIn) (claimOut, error) {
	holder := in.of(c)
	ask := pool.Ask{Want: pool.Want{UDID: in.UDID}, Holder: holder, By: c.Session}
	e, before, err := p.access.Pool.TakeOver(ctx, ask, in.Reason)
	if err != nil {
		return claimOut{}, err
	}
	s := p.access.Sessions.Get(holder)
	s.From(c.Client, c.Dir)
	s.Use(access.Choice(e.Info))
	s.Claim([]string{e.UDID})
	c.Device = &op.Device{UDID: e.UDID, Name: e.Name}
	return claimOut{Status: "taken over", Device: e, From: before.Holder}, nil
}

// cleanupOut lists the expired claims.
type cleanupOut struct {
	Status   string   `json:"status"`
	Released []string `json:"devices_released"`
	Count    int      `json:"count"`
}

// Text is one line.
func (o cleanupOut) Text() string { return fmt.Sprintf("%d claims had expired", o.Count) }

func (p *Pool) cleanup(ctx context.Context, _ *op.Call, _ op.Nothing) (cleanupOut, error) {
	ended, err := p.access.Pool.Cleanup(ctx)
	return cleanupOut{Status: "cleaned", Released: ended, Count: len(ended)}, err
}
