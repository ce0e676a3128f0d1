// Package ops is the product: what ios-agent can do, one file a noun, every operation declared once. The surfaces
// derive themselves from All and know nothing else.
package ops

import (
	"context"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
)

// Parts are what the operations work with. The zero value is enough to derive surfaces from: a client lists operations
// without being able to run one.
type Parts struct {
	Pool     *pool.Pool
	Leases   Leases
	Sessions *session.Store
	Jobs     *op.Jobs
	Events   *feed.Ring[op.Record]
	Tools    apple.Toolchain
	Run      simctl.Runner
	Start    host.Starter
	Home     string
	Server   Server
	Now      func() time.Time
	// Prewarm starts a device's agent when it is booted, not when it is first needed.
	Prewarm bool
	// Catalogue is what All is part of, for operations that call others.
	Catalogue func() *op.Catalogue
	// Guide is the text for agents, made from the catalogue.
	Guide func() string
}

// Server is the daemon the operations run in.
type Server struct {
	URL       string
	Build     string
	StartedAt time.Time
}

// All is the catalogue.
func All(p Parts) []op.Op {
	desk := desk{pool: p.Pool, sessions: p.Sessions}
	var all []op.Op
	sims := &simulators{
		desk: desk, parts: p, defaults: &sessionDefaults{p.Sessions}, devices: &devices{desk, p.installed, p.Prewarm}, apps: &apps{desk}, settings: &settings{desk},
	}
	all = append(all, sims.devices.ops()...)
	all = append(all, (&pooled{desk, p.Leases}).ops()...)
	all = append(all, sims.apps.ops()...)
	all = append(all, sims.settings.ops()...)
	eyes := &screen{desk: desk, home: p.Home, now: p.Now}
	all = append(all, eyes.ops()...)
	sims.screen, sims.films = eyes, &films{desk: desk, home: p.Home, now: p.Now, live: map[string]*film{}}
	all = append(all, sims.films.ops()...)
	hands := &touch{desk, secrets{SecretsDir(p.Home)}}
	all = append(all, hands.ops()...)
	all = append(all, (&batch{p.Catalogue}).ops()...)
	all = append(all, (&agents{desk}).ops()...)
	all = append(all, sims.defaults.ops()...)
	all = append(all, (&system{parts: p}).ops()...)
	all = append(all, (&parser{parseKinds()}).ops()...)
	all = append(all, (&events{p.Events}).ops()...)
	all = append(all, p.Jobs.Ops()...)
	all = append(all, quernViews(all, hands, eyes)...)
	builder := newBuilder(p, sims)
	all = append(all, builder.runOps()...)
	return append(all, xcodeViews(p, sims, builder, hands)...)
}

// installed tells which of the programs we use are there.
func (p Parts) installed() map[string]bool {
	there := map[string]bool{}
	for _, name := range []string{"xcodebuild", "simctl", "devicectl", "idb", "axe"} {
		program := name
		if name == "simctl" || name == "devicectl" {
			program = "xcrun" // which runs them
		}
		there[name] = host.Installed(p.Tools.Tool(program))
	}
	return there
}

// Target says which device an operation is about; embedded in the input of all that need one.
type Target struct {
	UDID string `json:"udid,omitempty" doc:"the device, if not the current one"`
	Sim  string `json:"sim,omitempty" doc:"a simulator by its name"`
}

// desk is where operations ask for a device.
type desk struct {
	pool     *pool.Pool
	sessions *session.Store
}

// do runs fn in the device's lane, under the session's lease when the operation changes anything. A device that turns out
// to be off is nobody's current one any more: the next call that names none is told so instead of failing again.
func (d desk) do(ctx context.Context, h *pool.Handle, fn func() error) error {
	err := d.pool.Drive(ctx, h, fn)
	if fault.Is(err, fault.DeviceNotBooted) {
		d.sessions.Forget(h.Info().UDID)
		d.pool.Forgo(ctx, h)
	}
	return err
}

// device finds the device that is meant, makes it the session's current one when it was named, and notes it on the
// answer.
func (d desk) device(ctx context.Context, c *op.Call, t Target) (*pool.Handle, *session.Session, error) {
	return d.resolve(ctx, c, pool.Criteria{UDID: t.UDID, Name: t.Sim})
}

func (d desk) resolve(ctx context.Context, c *op.Call, which pool.Criteria) (*pool.Handle, *session.Session, error) {
	s := d.sessions.Get(c.Session)
	which.Current, which.Holder = s.Device(), c.Session
	h, err := d.pool.Resolve(ctx, which)
	if err != nil {
		return nil, nil, err
	}
	info := h.Info()
	if which.UDID != "" || which.Name != "" {
		s.Use(info.UDID)
	}
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	return h.For(c.Session, !c.Hints.Has(op.ReadOnly)), s, nil
}
