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

// InProcess is a Virtual Xcode whose world lives in this process: no other process is started and no socket file is
// made, so that a test is quick and everything happens in its own goroutines. The embedded Xcode does the same as one
// with processes:
//
//   - Play runs a tool by its name ("simctl", "xcrun", "xcodebuild", …) to its end, on the shared world;
//   - Client().AddFault and its like tell the world what is to go wrong;
//   - Client().Agent starts the agent of a device; its Stream is a net.Pipe that speaks the agent protocol;
//   - "xcodebuild test-without-building" of the agent's scheme, played in a goroutine, serves the same protocol on the
//     loopback port that its environment names, until its ctx ends.
//
// "open" is the exception: it starts the app of a Mac as a real process.
type InProcess struct {
	Xcode
	made string // the folder, if it is ours to remove
}

// InProcessOptions are what an InProcess is made of. The zero value is a new world in a folder of its own.
type InProcessOptions struct {
	Dir   string // of the installation; "": a temporary folder, which Close removes
	Agent Scheme // what the production code calls its agent; without it no agent is started by xcodebuild
	Time  string // which clock: see TimeVariable; "" is "request"
	// Profile is that of the world; see ProfileVariable.
	Profile string
	Keep    bool // the world's state is kept in Dir, as the service does; otherwise it is forgotten

	Store Store // keeps the state instead, if it is not nil
}

type (
	Store = world.Store // keeps the state of a world
	World = world.World // is what the tools work on
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

// Program is a tool as a function of this process, or nil: what host.Options.Inside takes.
func (p *InProcess) Program(path string) host.Main {
	name := filepath.Base(path)
	if !slices.Contains(Tools(), name) {
		return nil
	}
	return func(ctx context.Context, in host.Invocation) int {
		return p.Play(ctx, name, Call{Args: in.Args, Dir: in.Dir, Env: in.Env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr})
	}
}

// World is what the tools work on, for a test that asks it directly.
func (p *InProcess) World() *World { return p.server.World }

// Usbmux connects to the virtual usbmuxd, through which physical devices are reached.
func (x Xcode) Usbmux(ctx context.Context) (net.Conn, error) { return x.Client().Usbmux(ctx) }

// Close ends the world, the agents and what serves them.
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
