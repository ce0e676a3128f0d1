// Package agent is the virtual XCTest agent: it serves the agent protocol for one device of the virtual world. Like the
// real agent it does one thing at a time, remembers its target across connections, taps coordinates only, and never
// launches an app.
//
// It sees and touches the device only through Screen. It must not know who started it or who its clients are.
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

// name is what the answer to a hello calls this agent.
const name = "virtual"

// ErrCrashed is how Serve and Listen end when a fault crashed the agent, ErrEnded when a client asked it to end.
var (
	ErrCrashed = errors.New("the agent crashed")
	ErrEnded   = errors.New("the agent was asked to end")
)

// Options say which device an agent is for. UDID and Screen are needed.
type Options struct {
	UDID       string
	Token      string // when not empty, nothing is answered before a hello that has it
	Build      string // told in the answer to a hello
	PID        int    // likewise
	PublicOnly bool   // it uses nothing that Apple does not document
	Screen     Screen

	Clock      world.Clock                                                // paces the polls; nil is the real one
	Screenshot func(ctx context.Context) ([]byte, error)                  // PNG of the device's screen; nil: unsupported
	About      func(ctx context.Context, bundle string) agentwire.AppInfo // name and version of an app; nil: unknown
	TakeFault  func(name string) (flaw.Hit, bool)                         // asked on every occasion of a fault; nil: none happens
	// told of every request, and whether it reads the tree; nil: nobody is
	Served func(look bool)
	Crash  func() // called when a fault crashes the agent; nil: nothing
	Ended  func() // called when a client has ended the agent's test; nil: nothing
}

// Agent is the state that outlives a connection.
type Agent struct {
	opts     Options
	handlers map[agentwire.Opcode]handler

	main sync.Mutex // the main queue: held while a request is carried out that needs it
	met  bool       // the main queue was needed already; guarded by main

	mu         sync.Mutex // guards what follows
	target     string     // bundle id of the app that requests are about
	current    net.Conn
	silent     bool      // there are no pulses any more
	stuckSince time.Time // since when the main thread has not answered; zero while it does

	death  sync.Once
	killed chan struct{} // closed when the process has ended or must not answer any more
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

// Kill ends what the agent is doing. The caller knows that its process is gone. No request is served after it.
func (a *Agent) Kill() { a.death.Do(func() { close(a.killed) }) }

// Serve serves one connection with a new agent; see Agent.Serve.
func Serve(ctx context.Context, conn net.Conn, o Options) error { return New(o).Serve(ctx, conn) }

// Serve answers the requests on conn until the client leaves, which is no error, or ctx ends. It closes conn.
// A newer connection that is allowed to send commands ends it too: an agent has one client.
func (a *Agent) Serve(ctx context.Context, conn net.Conn) error { return a.meet(conn).serve(ctx) }

// meet begins a session. Without a token conn becomes the client at once, so meet must be called in the order in which
// connections arrive.
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

// Listen serves the connections that l accepts until ctx ends, the agent crashes or a client ends it. It closes l, and returns
// when every connection is closed.
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
