// Package ops is the product: what ios-agent can do, one file a noun, every operation declared once. Of the world below it
// knows sessions, the pool and domain services; it can run no program and open no device by itself. The families of other
// systems' names, ops/xcode, ops/quern and ops/desktop, are views of it.
package ops

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/op/parse"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/build"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/internal/xcode/toolcheck"
)

// Services are what the operations work with. The zero value is enough to derive surfaces from: a client lists operations
// without being able to run one.
type Services struct {
	Pool      *pool.Pool
	Leases    Leases
	Sessions  *session.Store
	Jobs      *op.Jobs
	Steps     *op.Steps
	Events    *feed.Ring[op.Record]
	Builds    *build.Engine
	Packages  *swiftpackage.Service
	MacApps   *macapp.Service
	Tools     *toolcheck.Checker
	Readers   parse.Kinds
	Captures  *logcap.Store
	Films     *film.Store
	Debuggers *debugger.Service
	Desktop   desktop.Desktop // nil: this system has none
	Processes *process.Sessions
	Telemetry *telemetry.Store
	Crashes   CrashServices
	Network   NetworkServices
	Streams   *streams.Manager
	Home      string
	Server    Server
	Now       func() time.Time
	// Secrets may be typed: no answer shows them.
	Secrets secrets
	// Prewarm starts a device's agent when it is booted, not when it is first needed.
	Prewarm bool
	// Catalogue is what the operations are part of, for those that call others.
	Catalogue func() *op.Catalogue
	// Guide is the text for agents, made from the catalogue.
	Guide func() string
	// Settle waits until what apps said is in the store; nil: what the store was given is enough.
	Settle Settle
}

// Server is the daemon the operations run in.
type Server struct {
	URL       string
	Version   string
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
	Crashes  *Crashes
	Network  *Network
	Debug    *Debug
	Desktop  *Desktop
	Builds   *Builds
	Packages *Packages
	MacApps  *MacApps
	Projects Projects
	Defaults *Defaults
	System   *System
	Run      *Run
	Said     Said
	LogLines *LogLines

	ops []op.Op
}

// New makes the nouns and their operations.
func New(s Services) *Core {
	reach := deviceAccess{pool: s.Pool, sessions: s.Sessions, debuggers: s.Debuggers, said: s.Streams, programs: s.Processes}
	look := ScreenDeps{Access: reach, Home: s.Home, Now: s.Now}
	building := BuildDeps{Access: reach, Engine: s.Builds, Packages: s.Packages, Store: s.Telemetry, Now: s.Now}
	logging := LogDeps{
		Access: reach, Store: s.Telemetry, Captures: s.Captures, Flows: s.Network.Flows, Steps: s.Steps, Settle: s.Settle, Now: s.Now,
	}
	c := &Core{
		Devices:  NewDevices(DevicesDeps{reach, s.Tools, s.MacApps, s.Prewarm}),
		Apps:     NewApps(reach),
		Settings: NewSettings(reach),
		Screen:   NewScreen(look),
		Films:    NewFilms(look, s.Films),
		Touch:    NewTouch(reach, s.Secrets),
		Logs:     NewLogs(logging),
		Crashes:  NewCrashes(reach, s.Crashes, s.Now),
		Network:  NewNetwork(NetworkDeps{reach, s.Network, s.Steps, s.Now}),
		Debug:    NewDebug(reach),
		Builds:   NewBuilds(building),
		Packages: NewPackages(building),
		MacApps:  NewMacApps(s.MacApps),
		Defaults: NewDefaults(s.Sessions),
		Said:     NewSaid(logging),
		LogLines: NewLogLines(logging),
	}
	c.Desktop = NewDesktop(DesktopDeps{reach, s.Processes, s.Desktop, c.Screen, s.Secrets})
	c.Run = NewRun(RunDeps{c.Builds, c.Devices, c.Apps, c.MacApps, c.Screen})
	steps := NewBatch(s.Catalogue)
	judge := NewAuditor(reach, c.Screen, steps, s.Server.Version)
	stored := NewData(logging)
	c.System = NewSystem(SystemDeps{
		Pool: s.Pool, Sessions: s.Sessions, Tools: s.Tools, Home: s.Home, Server: s.Server, Guide: s.Guide, Catalogue: s.Catalogue,
		Debuggers: s.Debuggers, Proxy: s.Network.Proxy, Checks: []Checks{stored.check, reach.driverChecks, judge.check},
	})
	status := NewStatus(StatusDeps{Access: reach, Jobs: s.Jobs, URL: s.Server.URL, StartedAt: s.Server.StartedAt})
	c.ops = withDriverFlags(slices.Concat(
		c.Devices.ops(), NewPool(reach, s.Leases).ops(), c.Apps.ops(), c.Settings.ops(),
		c.Screen.ops(), c.Films.ops(), NewWait(reach, c.Screen, c.Network).ops(), c.Touch.ops(),
		steps.ops(), judge.ops(), NewAgents(reach).ops(), c.Defaults.ops(), c.System.ops(), NewParser(s.Readers).ops(), NewEvents(s.Events).ops(),
		s.Jobs.Ops(), s.Steps.Ops(), c.Run.ops(), c.Builds.ops(), c.Debug.ops(), status.ops(), stored.ops(), c.Crashes.ops(),
		c.LogLines.ops(), NewBuildList(s.Telemetry).ops(), NewStreams(logging).ops(), // logs stands before what is below its verb
		c.Network.ops(),
	))
	return c
}

// Ops are the core operations.
func (c *Core) Ops() []op.Op { return c.ops }

// Op is the core operation of that name. It panics when there is none: a view of it is a programming error.
func (c *Core) Op(name string) op.Op {
	i := slices.IndexFunc(c.ops, func(o op.Op) bool { return o.Name == name })
	if i < 0 {
		panic("ops: there is no core operation " + name)
	}
	return c.ops[i]
}

// Target says which device an operation is about; embedded in the input of all that need one.
type Target struct {
	UDID string `json:"udid,omitempty" doc:"if not the current device"`
	Sim  string `json:"sim,omitempty" doc:"simulator by name"`
}

// desktopFlags name an app of a desktop, where only a device can be named otherwise.
func desktopFlags(input string) []op.Short {
	return []op.Short{
		{Flag: "pid", Input: input, Prefix: processID, Doc: "a desktop app by its process, instead of a device"},
		{Flag: "app", Input: input, Prefix: "app:", Doc: "a desktop app by its program's name or a window's title"},
	}
}

// environ is the environment of who calls, as far as it says which desktop is meant. Who names none is on ours: a call over HTTP has no
// environment.
func environ(c *op.Call) func(string) string {
	if slices.ContainsFunc(op.DesktopEnv(), func(name string) bool { return c.Env[name] != "" }) {
		return func(name string) string { return c.Env[name] }
	}
	return os.Getenv
}

// deviceAccess finds the device an operation is about, and runs the operation on it.
type deviceAccess struct {
	pool      *pool.Pool
	sessions  *session.Store
	debuggers *debugger.Service
	said      *streams.Manager
	programs  *process.Sessions // of desktops
}

// do runs fn in the device's lane, under the session's lease when the operation changes anything. A session keeps the device that it
// chose, also when that turns out to be shut down or to have ended: the next call must not go to another one.
func (d deviceAccess) do(ctx context.Context, h *pool.Handle, fn func() error) error {
	err := d.pool.Drive(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Drove(h.Info().UDID)
		}
		return fn()
	})
	if fault.Is(err, fault.DeviceNotBooted) {
		d.pool.Forgo(ctx, h)
		err = fault.From(err).WithHint("boot it: `ios-agent boot --udid %s`, or choose another: `ios-agent use NAME`", h.Info().UDID)
	}
	return d.pool.Explained(h, err)
}

// change is do for what switches a device on or off.
func (d deviceAccess) change(ctx context.Context, h *pool.Handle, fn func() error) error {
	defer d.pool.Changed()
	return d.away(ctx, h, fn)
}

// away is do for what brings another screen because the session wants it: it is not told later what changed since the screen that
// it was shown before.
func (d deviceAccess) away(ctx context.Context, h *pool.Handle, fn func() error) error {
	return d.do(ctx, h, func() error {
		if s := d.driver(h); s != nil {
			s.Refs(func(r *ui.Refs) { r.Leave(h.Info().UDID) })
		}
		return fn()
	})
}

// driver is the session that drives the device with a handle; nil for one that only looks.
func (d deviceAccess) driver(h *pool.Handle) *session.Session {
	if name := h.Driver(); name != "" {
		return d.sessions.Get(name)
	}
	return nil
}

// device finds the device that is meant and notes it on the answer. It does not become the session's: one that is named is
// meant for this call.
func (d deviceAccess) device(ctx context.Context, c *op.Call, t Target) (*pool.Handle, *session.Session, error) {
	h, s, err := d.resolve(ctx, c, pool.Criteria{UDID: t.UDID, Name: t.Sim})
	if err == nil {
		if held, is := d.debuggers.Paused(h.Info().UDID); is && d.guardMode(c) != defaults.GuardOff {
			c.Notify(op.Notice{Kind: op.Paused, Text: held.Held()})
		}
	}
	return h, s, err
}

func (d deviceAccess) resolve(ctx context.Context, c *op.Call, which pool.Criteria) (*pool.Handle, *session.Session, error) {
	s := d.sessions.Get(c.Session)
	s.From(c.Client, c.Dir)
	chosen, named := s.Choice(), which.UDID != "" || which.Name != ""
	if chosen.Lost() && !named {
		return nil, nil, unserved(chosen, nil)
	}
	which.Current, which.Holder, which.Env = chosen.UDID, c.Session, environ(c)
	h, err := d.pool.Resolve(ctx, which)
	if err != nil && !named {
		err = unserved(chosen, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info := h.Info()
	c.Outside = c.Outside || info.Type == device.TypeProcess // it is real, whatever Xcode is
	s.Saw(info.UDID)
	c.Device = &op.Device{UDID: info.UDID, Name: info.Name}
	drives := !c.Hints.Has(op.ReadOnly)
	if drives {
		if err := d.attached(c.Session, info); err != nil {
			return nil, nil, err
		}
		c.BeginStep()
	}
	if h, err = d.choose(ctx, c, h); err != nil {
		return nil, nil, err
	}
	return h.For(c.Session, drives), s, nil
}

// attached refuses to drive a program of a desktop that the session neither launched nor attached to. Who may type into a terminal may run
// anything: that is asked for once, by an operation that nobody approves beforehand. Looking is free.
func (d deviceAccess) attached(session string, info device.Info) error {
	if info.Type != device.TypeProcess {
		return nil
	}
	pid, _, _ := strings.Cut(strings.TrimPrefix(info.UDID, processID), ":")
	if n, err := strconv.Atoi(pid); err == nil && d.programs.Has(session, n) {
		return nil
	}
	return fault.New(fault.Forbidden, "this session has neither launched nor attached to %s (process %s)", info.Name, pid).
		WithDispatch(fault.NotDispatched).WithHint("attach to it first: `ios-agent app attach --pid %s`", pid)
}

// use makes a device that a call named the session's. It is for calls after which one goes on with that device, when they
// have succeeded.
func (d deviceAccess) use(c *op.Call, named Target, udid string) {
	if named != (Target{}) {
		d.sessions.Get(c.Session).Use(session.Choice{UDID: udid, Name: c.Device.Name})
	}
}

// bootIfAble boots a device that can be booted.
func bootIfAble(ctx context.Context, h *pool.Handle) error {
	power, err := device.As[device.Power](h.Device)
	if err != nil {
		return nil // a driver that cannot boot reports by itself when the device is not on
	}
	return power.Boot(ctx)
}
