package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/daemon"
	"ios-agent/internal/driver/xctest"
	"ios-agent/internal/fault"
	"ios-agent/internal/home"
	"ios-agent/internal/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/internal/pool"
	"ios-agent/internal/resident"
	"ios-agent/internal/self"
	"ios-agent/internal/session"
)

const (
	firstPort = 9100
	idleExit  = time.Hour
)

func (p *program) daemonCommand() *cobra.Command {
	c := &cobra.Command{Use: "daemon", Short: "Start, stop or ask the background process; it starts by itself when needed", Args: cobra.NoArgs}
	c.AddCommand(
		&cobra.Command{Use: "start", Short: "Start the daemon if it does not run", Args: cobra.NoArgs, RunE: p.daemonStart},
		&cobra.Command{Use: "stop", Short: "Stop the daemon; devices stay as they are", Args: cobra.NoArgs, RunE: p.daemonStop},
		&cobra.Command{Use: "status", Short: "Tell whether the daemon runs, and where it listens", Args: cobra.NoArgs, RunE: p.daemonStatus},
		&cobra.Command{Use: "run", Short: "Be the daemon, in the foreground", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			return runDaemon(c.Context())
		}},
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
func runDaemon(ctx context.Context) (err error) {
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
	key, err := daemon.LoadKey(h.KeyFile())
	if err != nil {
		return fault.New(fault.PathError, "the key: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	server := &daemon.Server{Place: placeOf(h), Build: build, Key: key, KeyFile: h.KeyFile(), Port: firstPort, IdleExit: idleExit, Log: log}
	server.Open = func() (*op.Catalogue, io.Closer, error) { return open(h, name, build, log) }
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
func open(h home.Home, name string, build self.Build, log *slog.Logger) (*op.Catalogue, io.Closer, error) {
	runner, err := host.New(host.Options{Dir: h.Children()})
	if err != nil {
		return nil, nil, err
	}
	orphans, err := runner.Reap()
	if len(orphans) > 0 || err != nil {
		log.Info("reaped", "orphans", orphans, "error", err)
	}
	tools, err := toolchain(h, name)
	if err != nil {
		return nil, nil, errors.Join(err, runner.Close())
	}
	devices := pool.New(&xctest.Driver{Host: runner, Tools: tools, Agent: h.Agent(build.ID), State: h.Devices()})
	c := op.NewCatalogue(ops.All(ops.Parts{
		Pool: devices, Sessions: &session.Store{}, Tools: tools, Run: runner, Home: h.String(), Build: build.ID, Now: time.Now,
	}))
	c.Toolchain, c.Log = tools.Name, log
	return c, parts{runner, devices}, nil
}
