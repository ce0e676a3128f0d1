// Package agent is the virtual XCTest agent: an Agent serves the agent protocol for one device of the virtual world. Like the real
// agent it handles one request at a time, remembers its target across connections, taps coordinates only, and never launches an app. It
// reads and touches the device only through Screen. It must not know how it was started or which clients it has.
package agent

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// name is the agent's name in the answer to a hello.
const name = "virtual"

// ErrCrashed is the error of Serve and Listen after a fault crashed the agent, ErrEnded after a client ended it.
var (
	ErrCrashed = errors.New("the agent crashed")
	ErrEnded   = errors.New("the agent was asked to end")
)

// Options configure an agent. UDID and Screen are required.
type Options struct {
	UDID       string
	Token      string // if not empty, the client must prove this token before other requests
	Build      string // part of the answer to a hello
	PID        int    // likewise
	PublicOnly bool   // it uses only documented features of Apple's
	Screen     Screen

	Clock      world.Clock                                                // paces the polls; nil uses the real clock
	Screenshot func(ctx context.Context) ([]byte, error)                  // PNG of the device's screen; nil: unsupported
	About      func(ctx context.Context, bundle string) agentwire.AppInfo // name and version of an app; nil: unknown
	TakeFault  func(name string) (flaw.Hit, bool)                         // reports faults; nil: no faults
	// called for every request, with whether it reads the tree; may be nil
	Served func(look bool)
	Crash  func() // called after a fault crashed the agent; may be nil
	Ended  func() // called after a client ended the agent's test; may be nil
}

// Agent is the state that outlives a connection.
type Agent struct {
	opts     Options
	handlers map[agentwire.Opcode]handler

	main sync.Mutex // the main queue: held while a request runs that needs it
	met  bool       // the main queue was used before; guarded by main

	mu         sync.Mutex // guards the fields below
	target     string     // bundle id of the target app
	current    net.Conn
	silent     bool      // pulses have stopped
	stuckSince time.Time // since when the main thread does not answer; zero while it does

	death  sync.Once
	killed chan struct{} // closed when the process has ended or must stop answering
}

// New returns an agent whose target is SpringBoard.
func New(o Options) *Agent {
	if o.Clock == nil {
		o.Clock = world.RealClock()
	}
	if o.TakeFault == nil {
		o.TakeFault = func(string) (flaw.Hit, bool) { return flaw.Hit{}, false }
	}
	if o.Served == nil {
		o.Served = func(bool) {}
	}
	if o.Crash == nil {
		o.Crash = func() {}
	}
	if o.Ended == nil {
		o.Ended = func() {}
	}
	if o.PublicOnly {
		o.Screen = publicScreen{o.Screen}
	}
	return &Agent{opts: o, handlers: handlers(), target: world.SpringBoard, killed: make(chan struct{})}
}

// Kill cancels the agent's work, because its process has ended. The agent serves no request after it.
func (a *Agent) Kill() { a.death.Do(func() { close(a.killed) }) }

// Serve serves one connection with a new agent; see Agent.Serve.
func Serve(ctx context.Context, conn net.Conn, o Options) error { return New(o).Serve(ctx, conn) }

// Serve answers the requests on conn until ctx ends or the client leaves, and returns nil if the client left. It closes conn. A newer
// connection that is allowed to send commands also ends it, because an agent has one client.
func (a *Agent) Serve(ctx context.Context, conn net.Conn) error { return a.meet(conn).serve(ctx) }

// meet starts a session. Without a token conn becomes the client at once, so meet must be called in the order of the connections.
func (a *Agent) meet(conn net.Conn) *session {
	s := &session{Agent: a, net: conn, conn: agentwire.NewConn(conn)}
	if a.opts.Token == "" {
		s.authorise()
	}
	return s
}

func (s *session) serve(ctx context.Context) error {
	conn := s.net
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	err := s.run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Listen serves the connections of l until ctx ends, the agent crashes or a client ends it. It closes l, and returns after every
// connection is closed.
func (a *Agent) Listen(ctx context.Context, l net.Listener) error {
	var sessions sync.WaitGroup
	defer sessions.Wait()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		if err != nil {
			end(err)
			return context.Cause(ctx)
		}
		s := a.meet(conn)
		sessions.Go(func() {
			if err := s.serve(ctx); errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) {
				end(err)
			}
		})
	}
}

// adopt makes conn the only connection that may send commands.
func (a *Agent) adopt(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current != nil && a.current != conn {
		a.current.Close()
	}
	a.current = conn
}
