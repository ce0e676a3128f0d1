// Command ios-agent lets agents and people see, drive and debug apps on Apple platforms. It only connects the packages: all behaviour is
// below internal. When the binary is called by the name of one of Apple's tools, such as xcrun, it plays that tool on the virtual world; it
// is also the program of the proxy's process.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ios-agent/internal/daemon"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
)

func main() {
	if exit, played := play(os.Args); played {
		os.Exit(exit)
	}
	if exit, kept := keep(os.Args); kept {
		os.Exit(exit)
	}
	if exit, played := playProxy(os.Args); played {
		os.Exit(exit)
	}
	collectAfter(startsWith)
	ctx, cancel := untilSignalled()
	defer cancel()
	os.Exit(command().run(ctx, os.Args[1:]))
}

// How much may be allocated for each byte in use before the collector runs, in percent: a command is built from some 5 MB, and
// collecting them in the middle of that costs a tenth of its start.
const (
	startsWith = 200
	livesWith  = 100
)

// collectAfter sets that, unless GOGC does.
func collectAfter(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// untilSignalled is a context that ctrl-C and SIGTERM end; its cause says which.
func untilSignalled() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, is := (<-signals).(syscall.Signal); is {
			cancel(cli.Signalled{Number: int(s)})
		}
	}()
	return ctx, func() { cancel(nil) }
}

// program is the command line and what its commands share.
type program struct {
	app *cli.App
}

func command() *program {
	p := &program{}
	catalogue := product.Catalogue()
	p.app = &cli.App{
		Catalogue: catalogue,
		Connect:   func(name string) (op.Caller, error) { return connect(catalogue, name) },
		Peek: func(name string) (op.Caller, error) {
			client, err := connect(catalogue, name)
			if err != nil {
				return nil, err
			}
			client.Start = nil
			return client, nil
		},
		Version: version(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Live: isTerminal(os.Stderr),
		Alone: []string{"mcp", "daemon", hostproxy.WatcherCommand},
	}
	return p
}

// isTerminal reports whether the output may be a terminal. /dev/null is a device too, and does no harm there.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *program) run(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] != "daemon" && !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		warnOfNames(os.Environ(), p.app.Err)
	}
	var err error
	if p.app.JSON, err = outputJSON(os.Getenv); err != nil {
		return p.app.Refuse(args, err)
	}
	p.undoWhatIsLeft(ctx, args)
	return p.app.Main(ctx, args, p.commands()...)
}

// commands are the commands that are not operations.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{p.daemonCommand(), p.keyCommand(), p.mcpCommand(), p.virtualCommand(), p.demoCommand(),
		p.initCommand(), p.skillCommand(), p.connectCommand(), p.webdriverCommand(), p.selfCommand(), p.trustCommand(),
		p.watcherCommand()}
}

// stamped is the version of a release; the linker sets it.
var stamped string

// version is that of a release, the module's version, or the commit it was built from.
func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	return info.Main.Version
}

// SessionVariable names the client session for a whole shell.
const SessionVariable = "IOS_AGENT_SESSION"

// connect gives a client of the daemon for this process's session.
func connect(c *op.Catalogue, name string) (*daemon.Client, error) {
	h, err := home.Open()
	if err != nil {
		return nil, err
	}
	tools, err := toolchainName()
	if err != nil {
		return nil, err
	}
	return clientOf(c, h, tools, name)
}

func clientOf(c *op.Catalogue, h home.Home, tools, name string) (*daemon.Client, error) {
	if _, err := readSettings(os.Getenv); err != nil {
		return nil, err
	}
	build, err := self.Current()
	if err != nil {
		return nil, fault.New(fault.Internal, "reading our own binary: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fault.New(fault.PathError, "the working folder: %w", err)
	}
	for _, candidate := range []string{os.Getenv(SessionVariable), session.ForDir(dir)} {
		if name == "" {
			name = candidate
		}
	}
	place := placeOf(h)
	return &daemon.Client{
		Catalogue: c, Place: place, Build: build, Toolchain: tools, Session: name, Dir: dir,
		Start: func(context.Context) (int, error) { return startDaemon(h, place, build, tools) },
	}, nil
}

func placeOf(h home.Home) resident.Place { return resident.Place{Dir: h.Run(), Name: "daemon"} }

// startDaemon starts a copy of this program as the daemon. A copy, because the original may be replaced by an update
// or, after `go run`, be gone.
func startDaemon(h home.Home, place resident.Place, build self.Build, tools string) (int, error) {
	binary, err := copyOf(h, build, fault.DaemonUnreachable)
	if err != nil {
		return 0, err
	}
	env := []string{home.Variable + "=" + h.String(), toolchainVariable + "=" + tools}
	return host.StartDetached(binary, []string{"daemon", "run"}, env, place.LogPath())
}

// copyOf gives the copy of this program in the home. An error that says nothing better gets the code.
func copyOf(h home.Home, build self.Build, code fault.Code) (string, error) {
	path, err := self.Copy(h.Version(build.ID), build)
	if disk, ok := fault.OfDisk(err); ok {
		return "", disk.Within("copying the program")
	}
	if _, known := fault.In(err); err != nil && !known {
		return "", fault.New(code, "copying the program: %w", err)
	}
	return path, err
}
