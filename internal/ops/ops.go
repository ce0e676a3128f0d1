// Package ops is the product: what ios-agent can do, one file a noun, every operation declared once. Of the world below it
// knows sessions, the pool and domain services; it can run no program and open no device by itself. The families of other
// systems' names, ops/xcode and ops/quern, are views of it.
package ops

import (
	"context"
	"slices"
	"time"

	"ios-agent/internal/device/film"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/op/parse"
	"ios-agent/internal/xcode/build"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/internal/xcode/testrun"
	"ios-agent/internal/xcode/toolcheck"
)

// Services are what the operations reach the world through. The zero value is enough to derive surfaces from: a client lists
// operations without being able to run one.
type Services struct {
	Pool     *pool.Pool
	Leases   Leases
	Sessions *session.Store
	Jobs     *op.Jobs
	Events   *feed.Ring[op.Record]
	Builds   *build.Engine
	Packages *swiftpackage.Service
	MacApps  *macapp.Service
	Tools    *toolcheck.Checker
	Readers  parse.Kinds
	Captures *logcap.Store
	Films    *film.Store
	Home     string
	Server   Server
	Now      func() time.Time
	// Prewarm starts a device's agent when it is booted, not when it is first needed.
	Prewarm bool
	// Catalogue is what the operations are part of, for those that call others.
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

// Core is the product's nouns. Views of other families work through them.
type Core struct {
	Devices  *Devices
	Apps     *Apps
	Settings *Settings
	Screen   *Screen
	Films    *Films
	Touch    *Touch
	Logs     *Logs
	Builds   *Builds
	Packages *Packages
	MacApps  *MacApps
	Projects Projects
	Defaults *Defaults
	System   *System

	ops []op.Op
}

// New makes the nouns.
func New(s Services) *Core {
	desk := desk{pool: s.Pool, sessions: s.Sessions}
	c := &Core{
		Devices:  &Devices{desk: desk, tools: s.Tools, viewer: s.MacApps, prewarm: s.Prewarm},
		Apps:     &Apps{desk},
		Settings: &Settings{desk},
		Screen:   &Screen{desk: desk, home: s.Home, now: s.Now},
		Films:    &Films{desk: desk, films: s.Films, home: s.Home, now: s.Now},
		Touch:    &Touch{desk, secrets{SecretsDir(s.Home)}},
		Logs:     &Logs{desk, s.Captures},
		Packages: &Packages{s.Packages},
		MacApps:  &MacApps{s.MacApps},
		Defaults: &Defaults{s.Sessions},
		System:   &System{pool: s.Pool, tools: s.Tools, home: s.Home, server: s.Server, guide: s.Guide},
	}
	c.Builds = &Builds{
		desk: desk, engine: s.Builds, tests: testrun.New(s.Builds), devices: c.Devices, apps: c.Apps, screen: c.Screen, macApps: c.MacApps, defaults: c.Defaults,
	}
	c.ops = slices.Concat(
		c.Devices.ops(), (&pooled{desk, s.Leases}).ops(), c.Apps.ops(), c.Settings.ops(), c.Screen.ops(), c.Films.ops(), c.Touch.ops(),
		(&batch{s.Catalogue}).ops(), (&agents{desk}).ops(), c.Defaults.ops(), c.System.ops(), (&parser{s.Readers}).ops(),
		(&events{s.Events}).ops(), s.Jobs.Ops(), c.Builds.ops(),
	)
	return c
}

// Ops are the core operations.
func (c *Core) Ops() []op.Op { return c.ops }

// Op is the core operation of that name. A view of one that does not exist is a mistake of ours and panics.
func (c *Core) Op(name string) op.Op {
	i := slices.IndexFunc(c.ops, func(o op.Op) bool { return o.Name == name })
	if i < 0 {
		panic("ops: there is no core operation " + name)
	}
	return c.ops[i]
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

// change is do for what switches a device on or off.
func (d desk) change(ctx context.Context, h *pool.Handle, fn func() error) error {
	defer d.pool.Changed()
	return d.do(ctx, h, fn)
}

// device finds the device that is meant and notes it on the answer. It does not become the session's: one that is named is
// meant for this call.
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
	s.Saw(info.UDID)
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	return h.For(c.Session, !c.Hints.Has(op.ReadOnly)), s, nil
}

// use makes a device that a call named the session's. It is for calls after which one goes on with that device, when they
// have succeeded.
func (d desk) use(c *op.Call, named Target, udid string) {
	if named != (Target{}) {
		d.sessions.Get(c.Session).Use(udid)
	}
}
