package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/daemon"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/driver/xctest/agentsource"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops"
	"ios-agent/internal/surface/reference"
)

const (
	// idleVariable sets when an unused daemon leaves.
	idleVariable = "IOS_AGENT_IDLE_EXIT"
	idleExit     = time.Hour
	// jobVariable sets how long a call waits for its job, for clients of little patience.
	jobVariable = "IOS_AGENT_JOB_AFTER"
	// recordVariable names a folder for transcripts of every tool that is run; replayVariable one to answer from
	// instead of running any.
	recordVariable = "IOS_AGENT_RECORD"
	replayVariable = "IOS_AGENT_REPLAY"

	// How long an agent may take to start, and the first port of a range for agents; any free port without one.
	agentWaitVariable = "IOS_AGENT_AGENT_WAIT"
	agentPortVariable = "IOS_AGENT_AGENT_PORT"
	// "off" starts a device's agent when it is first needed, not when the device is booted.
	prewarmVariable = "IOS_AGENT_PREWARM"
	// mostEvents is how many calls the daemon remembers.
	mostEvents = 10_000
)

func (p *program) daemonCommand() *cobra.Command {
	c := &cobra.Command{Use: "daemon", Short: "Start, stop or ask the background process; it starts by itself when needed", Args: cobra.NoArgs}
	c.AddCommand(
		&cobra.Command{Use: "start", Short: "Start the daemon if it does not run", Args: cobra.NoArgs, RunE: p.daemonStart},
		&cobra.Command{Use: "stop", Short: "Stop the daemon; devices stay as they are", Args: cobra.NoArgs, RunE: p.daemonStop},
		&cobra.Command{Use: "status", Short: "Tell whether the daemon runs, and where it listens", Args: cobra.NoArgs, RunE: p.daemonStatus},
	)
	var listen string
	var remote bool
	run := &cobra.Command{Use: "run", Short: "Be the daemon, in the foreground", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return runDaemon(c.Context(), listen, remote)
	}}
	run.Flags().StringVar(&listen, "listen", "", "TCP address for REST and MCP (default: 127.0.0.1, first free port from 9100)")
	run.Flags().BoolVar(&remote, "allow-remote", false, "allow an address that other machines can reach")
	c.AddCommand(run)
	return c
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
			if err != nil {
				return fault.New(fault.PathError, "the key: %w", err)
			}
			return p.app.Say(key, map[string]string{"key": key, "key_file": h.KeyFile()})
		}
	}
	c.AddCommand(
		&cobra.Command{Use: "show", Short: "Print the key", Args: cobra.NoArgs, RunE: with((*daemon.Key).Read)},
		&cobra.Command{Use: "rotate", Short: "Make a new key; the old one stops working at once", Args: cobra.NoArgs, RunE: with((*daemon.Key).Rotate)},
	)
	return c
}

func (p *program) daemonStart(c *cobra.Command, _ []string) error {
	client, err := connect("")
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
	text := map[bool]string{true: "the daemon stopped", false: "the daemon was not running"}[alive]
	return p.app.Say(text, daemon.Status{})
}

func (p *program) daemonStatus(c *cobra.Command, _ []string) error {
	client, err := connect("")
	if err != nil {
		return err
	}
	client.Start = nil
	s, err := client.Ask(c.Context())
	if errors.Is(err, resident.ErrNotRunning) {
		return p.app.Say("the daemon does not run; it starts with the next call", s)
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf("the daemon runs\npid:       %d\ntoolchain: %s\nurl:       %s\nkey:       %s\nsocket:    %s\nlog:       %s\nbuild:     %s",
		s.PID, s.Toolchain, s.URL, s.KeyFile, s.Socket, s.Log, s.Build)
	return p.app.Say(text, s)
}

// runDaemon is the daemon. A second one in the same home leaves quietly: the clients that started both find the first.
func runDaemon(ctx context.Context, listen string, remote bool) (err error) {
	h, err := home.Open()
	if err != nil {
		return err
	}
	name, err := toolchainName()
	if err != nil {
		return err
	}
	build, err := self.Current()
	if err != nil {
		return fault.New(fault.Internal, "reading our own binary: %w", err)
	}
	key := &daemon.Key{Path: h.KeyFile()}
	if _, err := key.Read(); err != nil {
		return fault.New(fault.PathError, "the key: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	server := &daemon.Server{Place: placeOf(h), Build: build, Key: key, Listen: listen, Remote: remote, IdleExit: duration(idleVariable, idleExit), Log: log}
	server.Open = func(url string) (*op.Catalogue, http.Handler, io.Closer, error) {
		return open(h, name, ops.Server{URL: url, Build: build.ID, StartedAt: time.Now()}, log)
	}
	err = server.Run(ctx)
	if errors.Is(err, daemon.ErrRunning) {
		return nil
	}
	return err
}

// parts is what a daemon opens, closed in the reverse order.
type parts []io.Closer

// Close closes all parts, the last one first.
func (p parts) Close() error {
	var errs []error
	for i := len(p) - 1; i >= 0; i-- {
		errs = append(errs, p[i].Close())
	}
	return errors.Join(errs...)
}

// open wires the catalogue to the real world: tools, drivers, sessions. Whatever an earlier daemon left running is
// ended first.
func open(h home.Home, name string, server ops.Server, log *slog.Logger) (*op.Catalogue, http.Handler, io.Closer, error) {
	runner, err := host.New(host.Options{Dir: h.Children(), Record: os.Getenv(recordVariable), Replay: os.Getenv(replayVariable), RepeatLast: true})
	if err != nil {
		return nil, nil, nil, err
	}
	orphans, err := runner.Reap()
	if len(orphans) > 0 || err != nil {
		log.Info("reaped", "orphans", orphans, "error", err)
	}
	if err := self.Prune(h.Versions(), server.Build); err != nil {
		log.Info("old versions", "error", err)
	}
	tools, err := toolchain(h, name)
	if err != nil {
		return nil, nil, nil, errors.Join(err, runner.Close())
	}
	sources, err := agentsource.Build()
	if err != nil {
		return nil, nil, nil, errors.Join(err, runner.Close())
	}
	kit := &xctest.Kit{Host: runner, Tools: tools, Root: h.Agent(), ID: sources, Write: agentsource.WriteProject}
	simulators := &xctest.Driver{Host: runner, Tools: tools, Kit: kit, State: h.Devices(), Start: xctest.Start{
		Wait: duration(agentWaitVariable, 0), Port: number(agentPortVariable), PublicOnly: os.Getenv(xcodebuild.PublicVariable) == "1",
	}}
	leases := openLeases(h, tools, log)
	devices := pool.New(pool.Options{
		Drivers: []device.Driver{simulators}, Leases: leases.table, Implicit: duration(implicitVariable, implicitLease), Log: log,
	})
	devices.Tend()
	happened := feed.NewRing[op.Record](mostEvents)
	jobs := &op.Jobs{After: duration(jobVariable, op.JobAfter), Keep: op.JobKeep}
	var c *op.Catalogue
	c = op.NewCatalogue(ops.All(ops.Parts{
		Pool: devices, Leases: leases.parts(devices), Sessions: &session.Store{}, Jobs: jobs, Events: happened, Tools: tools, Run: runner, Start: runner, Home: h.String(),
		Server: server, Now: time.Now, Guide: func() string { return reference.Guide(c) },
		Catalogue: func() *op.Catalogue { return c }, Prewarm: os.Getenv(prewarmVariable) != "off",
	}))
	c.Toolchain, c.Jobs, c.Log = tools.Name, jobs, log
	c.Heard = func(r op.Record) {
		happened.Add(r)
		log.Info("call", "op", r.Op, "session", r.Session, "trace", r.Trace, "took_ms", r.TookMS, "code", r.Code)
	}
	return c, documents(c), parts{leases, runner, devices}, nil
}

// number reads a variable; what is no positive number is as good as not said.
func number(variable string) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// duration reads a variable; what is no duration is as good as not said.
func duration(variable string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(os.Getenv(variable)); err == nil && d >= 0 {
		return d
	}
	return otherwise
}
