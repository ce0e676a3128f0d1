package virtualxcode

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode/web"
	"ios-agent/internal/virtualxcode/world"
)

// InProcess is a Virtual Xcode whose world lives in this process. It starts no other process and makes no socket file, so a test is
// quick and runs in its own goroutines. The embedded Xcode works like one with processes:
//
//   - Play runs a tool by its name ("simctl", "xcrun", "xcodebuild", …) to its end, on the shared world;
//   - Client().AddFault and its siblings arm faults;
//   - Client().Agent starts the agent of a device; its Stream is a net.Pipe that speaks the agent protocol;
//   - "xcodebuild test-without-building" of the agent's scheme, played in a goroutine, serves the same protocol on the loopback
//     port in its environment, until its ctx ends.
//
// "open" is the exception: it starts a Mac app as a real process.
type InProcess struct {
	Xcode
	made string // the folder, if Close must remove it
}

// InProcessOptions configure an InProcess. The zero value is a new world in a folder of its own.
type InProcessOptions struct {
	Dir   string // of the installation; "": a temporary folder, which Close removes
	Agent Scheme // the name that the production code gives its agent; without it xcodebuild starts no agent
	Time  string // the clock: see TimeVariable; "" is "request"
	// Profile is the world's profile; see ProfileVariable.
	Profile string
	Keep    bool // keeps the world's state in Dir, as the service does; otherwise the state is lost

	Store Store // keeps the state instead of Dir, unless nil
}

type (
	Store = world.Store // stores the state of a world
	World = world.World // is the world that the tools work on
)

// NewInProcess makes a Virtual Xcode in this process. Close ends it.
func NewInProcess(o InProcessOptions) (*InProcess, error) {
	p := &InProcess{Xcode: Xcode{Dir: o.Dir, Agent: o.Agent}}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "virtual-xcode")
		if err != nil {
			return nil, err
		}
		p.Dir, p.made = dir, dir
	}
	if o.Time == "" {
		o.Time = "request"
	}
	store := o.Store
	if o.Keep && store == nil {
		store = p.state()
	}
	server, err := p.newServer(o.Time, store, web.Web{}, nil)
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	p.server = server
	if o.Profile != "" {
		if err := server.World.SetProfile(o.Profile); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// Program returns a tool as a function of this process, or nil, for host.Options.Inside.
func (p *InProcess) Program(path string) host.Main {
	name := filepath.Base(path)
	if !slices.Contains(Tools(), name) {
		return nil
	}
	return func(ctx context.Context, in host.Invocation) int {
		return p.Play(ctx, name, Call{Args: in.Args, Dir: in.Dir, Env: in.Env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr})
	}
}

// World returns the world that the tools work on, for tests that inspect it directly.
func (p *InProcess) World() *World { return p.server.World }

// Usbmux connects to the virtual usbmuxd, which leads to physical devices.
func (x Xcode) Usbmux(ctx context.Context) (net.Conn, error) { return x.Client().Usbmux(ctx) }

// Close ends the world, the agents and their servers.
func (p *InProcess) Close() error {
	p.server.Close()
	p.server.World.Close()
	return p.remove()
}

func (p *InProcess) remove() error {
	if p.made == "" {
		return nil
	}
	return os.RemoveAll(p.made)
}
