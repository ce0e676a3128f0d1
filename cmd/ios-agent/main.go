// Command ios-agent lets agents and people see, drive and debug apps on Apple platforms. This package only wires the
// parts together. Called by the name of one of Apple's tools, it plays that tool on the virtual world.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
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
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
)

func main() {
	if exit, played := play(os.Args); played {
		os.Exit(exit)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	os.Exit(command().run(ctx, os.Args[1:]))
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
		Version:   version(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
	}
	return p
}

func (p *program) run(ctx context.Context, args []string) int {
	var err error
	if p.app.JSON, err = outputJSON(os.Getenv); err != nil {
		return p.app.Refuse(args, err)
	}
	return p.app.Main(ctx, args, p.commands()...)
}

// commands are those that are not operations.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{p.daemonCommand(), p.keyCommand(), p.mcpCommand(), p.virtualCommand(), p.demoCommand(),
		p.initCommand(), p.skillCommand(), p.connectCommand(), p.selfCommand()}
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
