package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"ios-agent/internal/machine/host"
)

// peer is an MCP server to compare with; we are one of them.
type peer struct {
	name string
	cmd  host.Cmd
	list string // its tool that lists the devices: the first thing an agent calls
}

// standing is what was measured of a peer.
type standing struct {
	start       time.Duration // exec to the answer to initialize, the median
	size, count int           // of tools/list
	rss, allRSS float64       // of the server, and of everything it started, after its first call
	called      string        // what came of that call: without a Mac, some can only refuse
}

func peers(l *lab, dir string) []peer {
	node := func(script string, args ...string) host.Cmd {
		return host.Cmd{Name: "node", Args: append([]string{filepath.Join(dir, "node_modules", script)}, args...), Dir: l.dir, Env: []string{
			"HOME=" + l.dir, "XCODEBUILDMCP_SENTRY_DISABLED=true", "MOBILEMCP_DISABLE_TELEMETRY=1",
		}}
	}
	return []peer{
		{"ios-agent", l.command("ios-agent", "mcp"), "list_devices"},
		{"xcodebuildmcp 2.7.0", node("xcodebuildmcp/build/cli.js", "mcp"), "list_sims"},
		{"mobile-mcp 1.0.4", node("@mobilenext/mobile-mcp/lib/index.js", "--stdio"), "mobile_list_available_devices"},
	}
}

// compare measures all peers in one run, on one machine, and prints a table.
func compare(ctx context.Context, l *lab, dir string, out io.Writer) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\tinitialize ms\ttools\ttools/list B\tRSS MB\tall its processes MB\tlist devices\t")
	for _, p := range peers(l, dir) {
		s, err := l.judge(ctx, p)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", p.name, err), table.Flush())
		}
		fmt.Fprintf(table, "%s\t%.0f\t%d\t%d\t%.0f\t%.0f\t%s\t\n", p.name, inMillis(s.start), s.count, s.size, s.rss, s.allRSS, s.called)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	d, err := openDuel(ctx, l)
	if err != nil {
		return err
	}
	return d.fight(ctx, dir, out)
}

// judge measures one peer and ends whatever it left running.
func (l *lab) judge(ctx context.Context, p peer) (s standing, err error) {
	mark := markVariable + "=" + rand.Text()
	p.cmd.Env = append(p.cmd.Env, mark)
	defer func() { err = errors.Join(err, endAll(mark)) }()
	got, err := alternate(7, func() (time.Duration, error) { return l.firstAnswer(ctx, p.cmd) })
	if err != nil {
		return s, err
	}
	s.start = median(got[0])
	return s, l.weigh(ctx, p, mark, &s)
}

// weigh reads what a peer lists and how large it is after its first call.
func (l *lab) weigh(ctx context.Context, p peer, mark string, s *standing) (err error) {
	running, err := l.serve(ctx, p.cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Close()) }()
	if err := running.initialize(ctx); err != nil {
		return err
	}
	if s.size, s.count, err = running.tools(ctx); err != nil {
		return err
	}
	s.called = "answered"
	if err := running.call(ctx, p.list); errors.Is(err, errRefused) {
		s.called = "refused"
	} else if err != nil {
		return err
	}
	s.rss, _ = residentMB(running.process.PID)
	for _, pid := range marked(mark) {
		mb, _ := residentMB(pid) // a process that has exited needs no memory
		s.allRSS += mb
	}
	return nil
}
