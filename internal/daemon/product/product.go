// Package product connects the catalogue with the services that its operations use: tools, drivers, pool, leases, sessions and jobs. Open
// makes a Product from Options. The daemon opens one product for its home; tests open the same product over Virtual Xcode inside their
// process.
package product

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/kinds"
	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/device/logcap"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/naming"
	"ios-agent/internal/device/statedb"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/driver/deskapp"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/machine/trust"
	"ios-agent/internal/network/stepflows"
	"ios-agent/internal/op"
	"ios-agent/internal/op/answers"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops/catalogue"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/steplines"
	"ios-agent/internal/text/parse"
	"ios-agent/internal/ui/uiread"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/swiftpackage"
	"ios-agent/internal/xcode/toolcheck"
)

// mostEvents is how many calls the product remembers.
const mostEvents = 10_000

// Options say what a product is made of.
type Options struct {
	Home    home.Home
	Tools   apple.Toolchain
	Host    *host.Host // runs the tools; the product closes it
	Program string     // our own binary, which is started as the proxy
	Server  system.Server
	Version string // of this program, for documents and MCP clients
	Log     *slog.Logger
	Talk    string // file that keeps what is said with agents; empty keeps nothing

	Start xctest.Start
	// WDA names the devices that are driven through WebDriverAgent and not through our own agent; the zero value names none. Its Host and
	// Tools are the product's.
	WDA      wda.Options
	IDB      idb.Options   // of simulators for which idb is chosen; its Host, Tools and Logs are set here
	Implicit time.Duration // how long the lease lasts that the first command on a free device takes; 0 takes none
	JobAfter time.Duration // how long a call waits before it becomes a job
	Secrets  *mask.Set     // what answers, logs and captures must not show, and what the Host leaves out of transcripts; nil is a new one
	Macros   bool          // macros of packages are trusted, as build.Options.TrustMacros says
	// Watcher starts who puts the Mac's proxy settings back after our death; nil: nobody does.
	Watcher func(journal string) (io.Closer, error)
	Keeper  []string // as debugger.Options have it
	// Desktop is where programs show windows, such as NewDesktop's; nil: nowhere.
	Desktop desktop.Desktop
	// DesktopClock is how looks at those windows wait; nil is the time of day.
	DesktopClock device.Clock
	// Drivers are the rows of the table of drivers; nil: Drivers().
	Drivers []Driver
	// Usbmux connects to usbmuxd, through which physical devices are reached; nil: not available.
	Usbmux func(context.Context) (net.Conn, error)
	// Inside is which requests an app of a folder answers itself, and the variables that it reads; nil: no app does. Virtual ones may.
	Inside func(app string) (answers, variables []string)
	Team   string // that signs the agent for physical devices; empty: not set
	// WDAProducts is a prebuilt WebDriverAgent for wda.Start; empty: an installed one is started on simulators.
	WDAProducts string
	Prewarm     bool // a device's agent is started when the device is booted, not when it is first needed

	Now func() time.Time // what leases go by; time.Now if nil
	// Observers see every call after the product's own.
	Observers []op.Observer
}

// Product is the catalogue and everything that runs behind it.
type Product struct {
	Catalogue *op.Catalogue
	Telemetry *telemetry.Store
	Log       *slog.Logger // of all parts: without secrets, and kept as a source of log lines

	version string
	web     webClients
	parts   []io.Closer // closed in the reverse order
	holds   []holder
}

// holder keeps an idle daemon from leaving.
type holder interface{ Holds() []string }

// Open ends what an earlier product of this home left running and makes a new one. The caller closes it; when Open fails,
// the host is closed.
func Open(o Options) (*Product, error) {
	orphans, err := o.Host.Reap()
	if len(orphans) > 0 || err != nil {
		o.Log.Info("reaped", "orphans", orphans, "error", err)
	}
	sources, err := agentsource.Build()
	if err != nil {
		return nil, errors.Join(err, o.Host.Close())
	}
	if o.Drivers == nil {
		o.Drivers = Drivers()
	}
	hidden := cmp.Or(o.Secrets, &mask.Set{})
	if o.Now == nil {
		o.Now = time.Now
	}
	who := &owners{calls: session.NewCalls(o.Now)}
	said := telemetry.New(telemetry.Options{
		Path: filepath.Join(o.Home.String(), "telemetry.db"), Hide: hidden.Line, Now: o.Now, Left: who.left,
		Log: slog.New(hidden.Handler(o.Log.Handler())), // not the one below: it would store its own faults
	})
	o.Log = slog.New(hidden.Handler(said.Handler(o.Log.Handler(), slog.LevelWarn)))
	talk, err := agentwire.OpenTalk(agentwire.TalkOptions{Path: o.Talk, Hide: hidden.Text})
	if err != nil {
		return nil, errors.Join(err, said.Close(), o.Host.Close())
	}
	logs := filepath.Join(o.Home.String(), "logs")
	kit := &xctest.Kit{Host: o.Host, Tools: o.Tools, Root: o.Home.Agent(), ID: sources, Write: agentsource.WriteProject}
	if err := kit.Sweep(); err != nil {
		o.Log.Warn("what earlier agents left", "error", err)
	}
	o.Server.Version, o.Server.PID = o.Version, os.Getpid()
	leases, err := openLeases(o)
	if err != nil {
		return nil, errors.Join(err, talk.Close(), said.Close(), o.Host.Close())
	}
	who.table = leases.table
	captures, films := logcap.New(logcap.Options{Dir: logs, Hide: hidden.Text}), film.New(film.Options{})
	reported := openCrashes(o, said)
	heard := openStreams(o, said)
	settle := func(ctx context.Context, udid, app string) error {
		return errors.Join(reported.Watch.Look(ctx), heard.Settle(ctx, udid, app))
	}
	network := openNetwork(o, said, hidden, who)
	go who.follow(leases.life, network.Proxy, o.Log)
	debuggers := debugger.New(debugger.Options{Run: o.Host, Start: o.Host, Tools: o.Tools, Keeper: o.Keeper})
	processes := process.New(process.Options{Start: o.Host, Now: o.Now})
	apps := deskapp.New(o.Desktop)
	apps.Programs = processes
	if o.DesktopClock != nil {
		apps.Clock = o.DesktopClock
	}
	sessions := session.NewStore(session.Options{
		Numbers: statedb.Numbers{Store: leases.state, Lost: leases.lost}, Choices: statedb.Choices{Store: leases.state},
		Passing: apps.Opens, Keys: keysOf(o.Drivers), Allowed: trust.In(o.Home.String()).Of, Log: o.Log,
	})
	devices := pool.New(pool.Options{
		Drivers: openDrivers(o, &xctest.Driver{Host: o.Host, Tools: o.Tools, Kit: kit, Start: o.Start, Talk: talk}),
		Openers: []pool.Opener{apps}, Alternates: alternates(o),
		Leases: leases.table, Implicit: o.Implicit, Client: sessions.Client, Log: o.Log, Now: o.Now,
		Handover: func(ctx context.Context, udid string, drives func(string) bool) {
			left := func(of device.Owner) bool { return of.UDID == udid && !drives(of.Session) }
			debuggers.EndAll(ctx, left)
			heard.EndAll(left)
			err := errors.Join(captures.EndAll("ended when another session got the device", left), films.EndAll(ctx, left),
				who.scope(ctx, network.Proxy)) // rules of others leave it alone from now on
			if err != nil {
				o.Log.Warn("what was left running did not end well", "udid", udid, "error", err)
			}
		},
	})
	devices.Tend()
	happened := feed.NewRing[op.Record](mostEvents)
	jobs, did := &op.Jobs{After: o.JobAfter, Keep: op.JobKeep}, steps.New(steps.Options{Line: steplines.Line})
	whole := answers.In(o.Home.Answers(), time.Now)
	typed := secrets.Of(o.Home.String(), hidden)
	typed.Know()
	var c *op.Catalogue
	c = op.NewCatalogue(catalogue.All(catalogue.Services{
		Drivers: specs(o.Drivers), Pool: devices, Leases: leases.parts(devices), Sessions: sessions, Jobs: jobs, Steps: did, Events: happened,
		Builds: builder.New(builder.Options{
			Run: o.Host, Tools: o.Tools, Dir: filepath.Join(o.Home.String(), "builds"), XcodeData: builder.UserXcodeData(),
			TrustMacros: o.Macros,
		}),
		Packages: swiftpackage.New(swiftpackage.Options{Run: o.Host, Start: o.Host, Logs: logs}),
		MacApps:  macapp.New(macapp.Options{Run: o.Host, Tools: o.Tools}),
		Tools:    toolcheck.New(toolcheck.Options{Run: o.Host, Tools: o.Tools}),
		Captures: captures, Films: films, Debuggers: debuggers, Telemetry: said, Streams: heard, Settle: settle,
		Desktop: o.Desktop, Processes: processes,
		Crashes: reported, Network: network, Readers: readers(),
		Answers: whole, Home: o.Home.String(), Server: o.Server, Now: o.Now, Getenv: os.Getenv,
		Guide:     func() string { return reference.Guide(c) },
		Catalogue: func() *op.Catalogue { return c }, Prewarm: o.Prewarm, Secrets: typed,
	}), op.Options{
		Toolchain: o.Tools.Name, Mark: o.Tools.Mark(), Jobs: jobs, Secrets: hidden, Log: o.Log, Keep: whole.Keep,
		Observers: append([]op.Observer{
			naming.In(sessions), // before the observers that record the answer
			steplines.New(steplines.Options{Store: said, Sessions: sessions, Settle: heard.Settle}),
			stepflows.New(stepflows.Options{Proxy: network.Proxy, Acts: network.Flows.Acts}),
			did, op.Ended(recorder{happened, heard, who, said, o.Log}.end), // they keep what the ones before told
		}, o.Observers...),
	})
	p := &Product{
		Catalogue: c, Telemetry: said, Log: o.Log, version: o.Version,
		web:   webClients{owners: who, pool: devices, sessions: sessions, log: o.Log},
		holds: []holder{debuggers, processes, network.Proxy, network.Host},
	}
	p.parts = []io.Closer{
		network.Host, talk, leases, sessions, said, o.Host, reported.Watch, devices, kit, debuggers, heard, network.Flows, network.Proxy, &p.web,
	}
	return p, nil
}

// Holds describes work that keeps an idle daemon alive and ends with it.
func (p *Product) Holds() (all []string) {
	for _, h := range p.holds {
		all = append(all, h.Holds()...)
	}
	return all
}

// Catalogue is the catalogue without anything behind it: what a client derives its surface from.
func Catalogue() *op.Catalogue {
	return op.NewCatalogue(catalogue.All(catalogue.Services{Drivers: specs(Drivers()), Readers: readers()}), op.Options{})
}

// readers are all outputs of other tools that can be read. Where two are equally certain the earlier one is meant.
func readers() parse.Kinds { return append(parse.Kinds{uiread.Kind()}, kinds.All()...) }

// Close closes all parts, the last one first.
func (p *Product) Close() error {
	var errs []error
	for i := len(p.parts) - 1; i >= 0; i-- {
		errs = append(errs, p.parts[i].Close())
	}
	return errors.Join(errs...)
}
