package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple"
	"ios-agent/internal/daemon"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/surface/reference"
)

const (
	// recordVariable names a folder for transcripts of every tool that is run, and for what is said with agents;
	// replayVariable one to answer from instead of running any tool.
	recordVariable = "IOS_AGENT_RECORD"
	replayVariable = "IOS_AGENT_REPLAY"
)

func (p *program) daemonCommand() *cobra.Command {
	c := &cobra.Command{Use: "daemon", Short: "Start, stop or check the background process; it starts by itself when needed",
		Args: cobra.NoArgs}
	c.AddCommand(
		&cobra.Command{Use: "start", Short: "Start the daemon if it does not run", Args: cobra.NoArgs, RunE: p.daemonStart},
		&cobra.Command{Use: "stop", Short: "Stop the daemon; devices stay as they are", Args: cobra.NoArgs, RunE: p.daemonStop},
		&cobra.Command{Use: "status", Short: "Show whether the daemon runs, and where it listens", Args: cobra.NoArgs,
			RunE: p.daemonStatus},
	)
	var listen string
	var remote bool
	run := &cobra.Command{Use: "run", Short: "Run the daemon in the foreground", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runDaemon(c.Context(), listen, remote)
		}}
	run.Flags().StringVar(&listen, "listen", "", "TCP address for REST and MCP (default: 127.0.0.1, first free port from 9100)")
	run.Flags().BoolVar(&remote, "allow-remote", false, "allow an address that other machines can reach")
	c.AddCommand(run, &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document of the HTTP surface", Args: cobra.NoArgs,
		RunE: p.daemonOpenAPI})
	return c
}

// daemonOpenAPI needs no daemon: the catalogue is in the program.
func (p *program) daemonOpenAPI(*cobra.Command, []string) error {
	raw, err := reference.OpenAPI(p.app.Catalogue, version(), reference.Usual)
	if err != nil {
		return err
	}
	_, err = p.app.Out.Write(append(raw, '\n'))
	return err
}

// keyCommand is about the key of the HTTP surface.
func (p *program) keyCommand() *cobra.Command {
	c := &cobra.Command{Use: "key", Short: "Show or replace the key of the HTTP surface", Args: cobra.NoArgs}
	with := func(do func(*daemon.Key) (string, error)) func(*cobra.Command, []string) error {
		return func(*cobra.Command, []string) error {
			h, err := home.Open()
			if err != nil {
				return err
			}
			key, err := do(&daemon.Key{Path: h.KeyFile()})
			if _, known := fault.In(err); known {
				return err
			}
			if err != nil {
				return fault.During("the key", err)
			}
			return p.app.Say(key, map[string]string{"key": key, "key_file": h.KeyFile()})
		}
	}
	c.AddCommand(
		&cobra.Command{Use: "show", Short: "Print the key", Args: cobra.NoArgs, RunE: with((*daemon.Key).Read)},
		&cobra.Command{Use: "rotate", Short: "Make a new key; the old one stops working at once", Args: cobra.NoArgs,
			RunE: with((*daemon.Key).Rotate)},
	)
	return c
}

func (p *program) daemonStart(c *cobra.Command, _ []string) error {
	client, err := connect(p.app.Catalogue, "")
	if err != nil {
		return err
	}
	s, err := client.Ask(c.Context())
	if err != nil {
		return err
	}
	return p.app.Say(fmt.Sprintf("the daemon runs: pid %d, %s", s.PID, s.URL), s)
}

func (p *program) daemonStop(c *cobra.Command, _ []string) error {
	h, err := home.Open()
	if err != nil {
		return err
	}
	_, alive, err := resident.Status(placeOf(h))
	if err == nil && alive {
		err = resident.Stop(c.Context(), placeOf(h))
	}
	if err != nil {
		return fault.New(fault.DaemonUnreachable, "stopping the daemon: %w", err)
	}
	if !alive {
		return p.app.Say("the daemon was not running", daemon.Status{})
	}
	return p.app.Say("the daemon stopped"+virtualLeft(c.Context(), h), daemon.Status{})
}

func (p *program) daemonStatus(c *cobra.Command, _ []string) error {
	client, err := connect(p.app.Catalogue, "")
	if err != nil {
		return err
	}
	client.Start = nil
	s, err := client.Ask(c.Context())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("the daemon runs\npid:       %d\ntoolchain: %s\nurl:       %s\nkey:       %s\n"+
		"socket:    %s\nlog:       %s\nbuild:     %s",
		s.PID, s.Toolchain, s.URL, s.KeyFile, s.Socket, s.Log, s.Build)
	return p.app.Say(text, s)
}

// memoryLimit is the heap size from which the garbage collector works more, so that the daemon stays below 200 MB although half of its
// memory may be garbage of calls. Sessions may hold less than half of it (device/session). GOMEMLIMIT replaces it, if set.
const memoryLimit = 150 << 20

// runDaemon is the daemon. A second one in the same home exits without an error: the clients that started both find the first.
func runDaemon(ctx context.Context, listen string, remote bool) (err error) {
	collectAfter(livesWith)
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	h, err := home.Open()
	if err != nil {
		return err
	}
	name, err := toolchainName()
	if err != nil {
		return err
	}
	set, err := readSettings(os.Getenv)
	if err != nil {
		return err
	}
	build, err := self.Current()
	if err != nil {
		return fault.New(fault.Internal, "reading our own binary: %w", err)
	}
	key := &daemon.Key{Path: h.KeyFile()}
	if _, err := key.Read(); err != nil {
		return fault.During("the key", err)
	}
	log := slog.New(slog.NewTextHandler(resident.Log(placeOf(h), os.Stderr), nil))
	server := &daemon.Server{Place: placeOf(h), Build: build, Key: key, Listen: listen, Remote: remote, IdleExit: set.idleExit, Log: log}
	server.Open = func(url string) (daemon.Served, error) {
		p, err := open(h, name, set, system.Server{URL: url, Build: build.ID, StartedAt: time.Now()}, log)
		if err != nil {
			return daemon.Served{}, err
		}
		return daemon.Served{Catalogue: p.Catalogue, More: p.Documents(), Holds: p.Holds, Parts: p}, nil
	}
	err = server.Run(ctx)
	if errors.Is(err, daemon.ErrRunning) {
		return nil
	}
	return err
}

// usbmuxVariable is where others look for usbmuxd, too.
const usbmuxVariable = "USBMUXD_SOCKET_ADDRESS"

// usbmuxOf connects to usbmuxd: that of this computer or, with the virtual toolchain, the virtual one. Transcripts have none.
func usbmuxOf(h home.Home, toolchain string) func(context.Context) (net.Conn, error) {
	switch {
	case os.Getenv(replayVariable) != "":
		return nil
	case toolchain == apple.Virtual:
		return virtualUsbmux(h)
	}
	return usbmux.Socket(os.Getenv(usbmuxVariable))
}

// open is the product of this home over its tools.
func open(h home.Home, name string, set settings, server system.Server, log *slog.Logger) (*product.Product, error) {
	secrets := &mask.Set{}
	runner, err := host.New(host.Options{Dir: h.Children(), Record: os.Getenv(recordVariable), Replay: os.Getenv(replayVariable),
		RepeatLast: true, Secrets: secrets, Inherit: namesIn(set.pass)})
	if err != nil {
		return nil, err
	}
	if err := self.Prune(h.Versions(), server.Build); err != nil {
		log.Info("old versions", "error", err)
	}
	tools, err := toolchain(h, name)
	if err != nil {
		return nil, errors.Join(err, runner.Close())
	}
	talk := os.Getenv(recordVariable)
	if talk != "" {
		talk = filepath.Join(talk, agentwire.TalkFile)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, errors.Join(fault.New(fault.Internal, "finding our own binary: %w", err), runner.Close())
	}
	inside := virtualInside
	if tools.Name != apple.Virtual {
		inside = nil
	}
	return product.Open(product.Options{
		Program: program, Inside: inside,
		Home: h, Tools: tools, Host: runner, Secrets: secrets, Server: server, Version: version(), Log: log, Talk: talk,
		Start:    xctest.Start{Wait: set.agentWait, Port: set.agentPort, PublicOnly: set.publicOnly},
		Implicit: set.implicit, JobAfter: set.jobAfter, Prewarm: set.prewarm, Macros: set.macros,
		Keeper: keeperCommand(), Desktop: product.NewDesktop(log, runner), Usbmux: usbmuxOf(h, name), Team: set.team,
		WDAProducts: set.wdaProducts,
		Watcher:     func(journal string) (io.Closer, error) { return hostproxy.StartWatcher(program, journal, nil) },
	})
}
