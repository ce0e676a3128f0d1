// Package catalogue wires together all operations of all families. All makes the list: a client calls it without services to derive its
// surface, the daemon calls it with services to run the operations. No other package may import all operation packages.
package catalogue

import (
	"slices"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/device/film"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/op/answers"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/agents"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/asked"
	buildops "ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/crashes"
	"ios-agent/internal/ops/debug"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/journey"
	"ios-agent/internal/ops/logs"
	"ios-agent/internal/ops/network"
	poolops "ios-agent/internal/ops/pool"
	"ios-agent/internal/ops/run"
	"ios-agent/internal/ops/screen"
	sessionops "ios-agent/internal/ops/session"
	"ios-agent/internal/ops/settings"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ops/view/quern"
	"ios-agent/internal/ops/view/strobe"
	"ios-agent/internal/ops/view/xcode"
	"ios-agent/internal/ops/wait"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
	"ios-agent/internal/text/parse"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/internal/xcode/toolcheck"
)

// Services are what the operations work with. The zero value is enough to derive surfaces from: a client lists operations
// without being able to run one.
type Services struct {
	Drivers   []device.DriverSpec // the drivers to choose from, the usual one first
	Pool      *pool.Pool
	Leases    poolops.Leases
	Sessions  *session.Store
	Jobs      *op.Jobs
	Steps     *steps.Store
	Events    *feed.Ring[op.Record]
	Builds    *builder.Engine
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
	Crashes   crashes.Services
	Network   network.Services
	Streams   *streams.Manager
	Answers   *answers.Folder
	Home      string
	Server    system.Server
	Now       func() time.Time
	Getenv    func(string) string // of the daemon
	// Secrets can be typed; no answer shows them.
	Secrets secrets.Folder
	// Prewarm starts a device's agent when it is booted, not when it is first needed.
	Prewarm bool
	// Catalogue gives the whole catalogue to operations that call other operations.
	Catalogue func() *op.Catalogue
	// Guide is the text for agents, made from the catalogue.
	Guide func() string
	// Settle waits until the lines of apps are in the store; nil: it does not wait.
	Settle logs.Settle
}

// All lists the operations: our own, then the views of other families.
func All(s Services) []op.Op {
	reach := access.Access{Pool: s.Pool, Sessions: s.Sessions, Debuggers: s.Debuggers, Said: s.Streams, Programs: s.Processes,
		Getenv: s.Getenv, Drivers: s.Drivers}
	keys := config.Keys(choice.Keys(s.Drivers)...)
	look := screen.Deps{Access: reach, Home: s.Home, Now: s.Now}
	building := buildops.Deps{Access: reach, Engine: s.Builds, Packages: s.Packages, Store: s.Telemetry, Now: s.Now}
	logging := logs.Deps{
		Access: reach, Store: s.Telemetry, Captures: s.Captures, Flows: s.Network.Flows, Answers: s.Answers, Steps: s.Steps, Settle: s.Settle,
		Now: s.Now,
	}
	var (
		devices  = devices.New(devices.Deps{Access: reach, Tools: s.Tools, Viewer: s.MacApps, Prewarm: s.Prewarm})
		macApps  = apps.NewMacApps(s.MacApps)
		apps     = apps.New(reach)
		settings = settings.New(reach)
		films    = screen.NewFilms(look, s.Films)
		screen   = screen.New(look)
		touch    = touch.New(reach, s.Secrets)
		crashes  = crashes.New(reach, s.Crashes, s.Now)
		network  = network.New(network.Deps{Access: reach, Services: s.Network, Steps: s.Steps, Now: s.Now})
		debug    = debug.New(reach)
		builds   = buildops.New(building)
		settled  = sessionops.NewDefaults(s.Sessions, keys)
		said     = logs.NewSaid(logging)
		stored   = logs.NewData(logging)
		desk     = desktopops.New(desktopops.Deps{
			Access: reach, Processes: s.Processes, Desk: s.Desktop, Pictures: screen, Secrets: s.Secrets,
		})
		run   = run.New(run.Deps{Builds: builds, Devices: devices, Apps: apps, MacApps: macApps, Screen: screen, Network: network})
		batch = journey.NewBatch(s.Catalogue)
		judge = journey.NewAuditor(reach, screen, batch, s.Server.Version)
	)
	status := sessionops.NewStatus(sessionops.StatusDeps{
		Access: reach, Jobs: s.Jobs, PID: s.Server.PID, URL: s.Server.URL, StartedAt: s.Server.StartedAt,
	})
	machine := system.New(system.Deps{
		Pool: s.Pool, Sessions: s.Sessions, Keys: keys, Tools: s.Tools, Home: s.Home, Server: s.Server, Guide: s.Guide, Catalogue: s.Catalogue,
		Debuggers: s.Debuggers, Proxy: s.Network.Proxy, Checks: []system.Checks{stored.Check, reach.DriverChecks, judge.Check},
	})
	core := access.WithDriverFlags(s.Drivers, slices.Concat(
		devices.Ops(), poolops.New(reach, s.Leases).Ops(), apps.Ops(), settings.Ops(), screen.Ops(), films.Ops(),
		wait.New(reach, screen, network).Ops(), touch.Ops(), batch.Ops(), judge.Ops(), agents.New(reach).Ops(), settled.Ops(), machine.Ops(),
		system.NewParser(s.Readers).Ops(), system.NewEvents(s.Events).Ops(), s.Jobs.Ops(), s.Steps.Ops(), run.Ops(), builds.Ops(), debug.Ops(),
		status.Ops(), stored.Ops(), crashes.Ops(),
		logs.NewLines(logging).Ops(), // before the operations whose verbs begin with its verb
		buildops.NewBuildList(s.Telemetry).Ops(), logs.NewStreams(logging).Ops(),
		network.Ops(),
	))
	return asked.Add(slices.Concat(quern.With(core), access.WithDriverFlags(s.Drivers, quern.Ops(quern.Rooms{
		Apps: apps, Crashes: crashes, Network: network, Said: said, Screen: screen, System: machine, Touch: touch, Core: core,
	})), xcode.Ops(xcode.Rooms{
		Apps: apps, Builds: builds, Debug: debug, Defaults: settled, Desktop: desk, Devices: devices, Films: films,
		Logs: logs.NewCaptures(logging), MacApps: macApps, Packages: buildops.NewPackages(building), Run: run, Screen: screen,
		Settings: settings, System: machine, Touch: touch,
	}), strobe.Ops(desk)))
}
