// Command ios-agent lets agents and people see, drive and debug apps on Apple platforms. This package only wires the
// parts together. Called by the name of one of Apple's tools, it plays that tool on the virtual world.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/daemon"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/internal/surface/cli"
	"ios-agent/internal/virtualxcode"
)

func main() {
	if tool := filepath.Base(os.Args[0]); slices.Contains(virtualxcode.Tools(), tool) {
		os.Exit(play(tool, os.Args[1:]))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	os.Exit(command().run(ctx, os.Args[1:]))
}

// play is one of Apple's tools, called from the folder of a virtual Xcode.
func play(tool string, args []string) int {
	dir, err := virtualxcode.Dir(os.Args[0])
	binary, selfErr := os.Executable()
	if err != nil || selfErr != nil {
		fmt.Fprintln(os.Stderr, tool+":", err, selfErr)
		return fault.ExitInternal
	}
	return virtual(dir, binary).Main(tool, args)
}

// virtual is the virtual Xcode of a folder. What the production code calls its agent is told here, because neither side
// of a process boundary may know the other.
func virtual(dir, binary string) virtualxcode.Xcode {
	return virtualxcode.Xcode{
		Dir: dir, Binary: binary, Serve: []string{"virtual", "serve"},
		Agent: virtualxcode.Scheme{
			Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
			VariablePrefix: xcodebuild.RunnerPrefix,
		},
	}
}

// program is the command line and what its commands share.
type program struct {
	app *cli.App
}

func command() *program {
	p := &program{}
	p.app = &cli.App{
		Catalogue: op.NewCatalogue(ops.All(ops.Parts{})),
		Connect:   func(name string) (op.Caller, error) { return connect(name) },
		Version:   version(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
	}
	return p
}

func (p *program) run(ctx context.Context, args []string) int {
	return p.app.Main(ctx, args, p.daemonCommand(), p.keyCommand(), p.mcpCommand(), p.virtualCommand(), p.demoCommand(), p.initCommand(), p.skillCommand(), p.connectCommand(), conformanceCommand())
}

// version is the module's version, or the commit it was built from.
func version() string {
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
func connect(name string) (*daemon.Client, error) {
	h, err := home.Open()
	if err != nil {
		return nil, err
	}
	tools, err := toolchainName()
	if err != nil {
		return nil, err
	}
	return clientOf(h, tools, name)
}

func clientOf(h home.Home, tools, name string) (*daemon.Client, error) {
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
		Catalogue: op.NewCatalogue(ops.All(ops.Parts{})), Place: place, Build: build, Toolchain: tools, Session: name, Dir: dir,
		Start: func(context.Context) (int, error) { return startDaemon(h, place, build, tools) },
	}, nil
}

func placeOf(h home.Home) resident.Place { return resident.Place{Dir: h.Run(), Name: "daemon"} }

// startDaemon starts a copy of this program as the daemon. A copy, because the original may be replaced by an update
// or, after `go run`, be gone.
func startDaemon(h home.Home, place resident.Place, build self.Build, tools string) (int, error) {
	binary, err := self.Copy(h.Version(build.ID))
	if err != nil {
		return 0, fault.New(fault.DaemonUnreachable, "%w", err)
	}
	env := []string{home.Variable + "=" + h.String(), toolchainVariable + "=" + tools}
	return host.StartDetached(binary, []string{"daemon", "run"}, env, place.LogPath())
}
