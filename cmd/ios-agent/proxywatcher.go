package main

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/surface/wording"
)

// watcherCommand is the process that puts the Mac's proxy settings back when the daemon is dead. It has nothing but a pipe, whose other
// end the daemon holds, and the path of the journal.
func (p *program) watcherCommand() *cobra.Command {
	return &cobra.Command{Use: hostproxy.WatcherCommand + " JOURNAL", Short: "Put the Mac's proxy settings back when the daemon is gone",
		Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			// A signal that ends the daemon with all its processes must not end this process too.
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
			return hostproxy.Watch(context.Background(), p.app.In, args[0], func(ctx context.Context) error {
				_, err := undoHostChanges(ctx, args[0])
				return err
			})
		}}
}

// undoHostChanges puts back what the journal has.
func undoHostChanges(ctx context.Context, journal string) (hostproxy.Undone, error) {
	h, err := home.Open()
	if err != nil {
		return hostproxy.Undone{}, err
	}
	name, err := toolchainName()
	if err != nil {
		return hostproxy.Undone{}, err
	}
	tools, err := toolchain(h, name)
	if err != nil {
		return hostproxy.Undone{}, err
	}
	runner, err := host.New(host.Options{})
	if err != nil {
		return hostproxy.Undone{}, err
	}
	defer runner.Close()
	return hostproxy.Undo(ctx, networksetup.Tool{Host: runner, Tools: tools}, journal)
}

// undoTimeout bounds what a command does before its own work.
const undoTimeout = 30 * time.Second

// mayUndo reports whether a person or a client gave the command. ios-agent's own background processes must not undo: undoing runs tools
// that start the virtual service, which would wait for itself.
func mayUndo(args []string) bool {
	line := strings.Join(args, " ") + " "
	return len(args) > 0 && !slices.ContainsFunc(
		[]string{hostproxy.WatcherCommand + " ", "proxy-process ", "virtual serve ", "virtual carry ", "daemon run ",
			cobra.ShellCompRequestCmd},
		func(own string) bool { return strings.HasPrefix(line, own) })
}

// undoWhatIsLeft restores, before a command does anything else, the settings of the Mac that a killed daemon and its killed watcher left
// changed. Usually the list of changes is empty, which costs one look at a file. It reports a failure, and the command continues.
func (p *program) undoWhatIsLeft(ctx context.Context, args []string) {
	if !mayUndo(args) {
		return
	}
	h, err := home.Where()
	if err != nil || !hostproxy.Pending(hostproxy.JournalOf(h.String())) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, undoTimeout)
	defer cancel()
	undone, err := undoHostChanges(ctx, hostproxy.JournalOf(h.String()))
	if err != nil {
		f := wording.Shell(p.app.Catalogue).Fault(fault.From(err))
		fmt.Fprintf(p.app.Err, "ios-agent: %s\n  %s\n", f.Message, f.Hint)
		return
	}
	if text := undone.Text(); text != "" {
		fmt.Fprintf(p.app.Err, "ios-agent: the proxy settings that an ended proxy left are put back: %s\n", text)
	}
}
