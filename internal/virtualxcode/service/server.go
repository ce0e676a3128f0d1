package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode/agent"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/usbmuxd"
	"ios-agent/internal/virtualxcode/world"
)

// Options configure a server.
type Options struct {
	World *world.World
	Clock world.Clock
	Time  string              // the clock's name for Status
	Tools map[string]FrontEnd // its tools by name
	Log   *slog.Logger        // nil: no log
	// Usbmux is the path of the socket of usbmuxd for other programs; empty: none.
	Usbmux string
}

// Server holds the world and serves the tools: on a socket (Run) or within its own process (Pipe).
type Server struct {
	Options
	started time.Time
	mux     *usbmuxd.Server
	ctx     context.Context // ends with the server
	stop    context.CancelFunc
	clients sync.WaitGroup

	mu     sync.Mutex
	closed bool
	last   int
	agents map[string]served
	ports  map[port]served // of agents on physical devices
	open   map[net.Conn]bool
	asked  Asked
}

// New makes a server. Close ends it.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, started: time.Now(), agents: map[string]served{}, ports: map[port]served{}, open: map[net.Conn]bool{}}
	s.mux = &usbmuxd.Server{Options: usbmuxd.Options{World: o.World, Open: s.onDevice}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Run serves on the socket of a place until ctx ends or a client stops the server. It closes the server.
func (s *Server) Run(ctx context.Context, at resident.Place) error {
	defer s.Close()
	listener, err := resident.Listen(at, resident.Info{Build: "virtual"})
	if err != nil {
		return err
	}
	defer listener.Close()
	for _, entry := range s.World.Damaged() {
		s.Log.Warn("state that cannot be read is set aside", "entry", entry)
	}
	defer s.listenUsbmux()()
	s.Log.Info("virtual service serves", "socket", listener.Info.Socket, "time", s.Time)
	defer context.AfterFunc(ctx, s.stop)()
	defer context.AfterFunc(s.ctx, func() { listener.Listener.Close() })()
	for {
		conn, err := listener.Listener.Accept()
		if err != nil {
			return nil
		}
		s.take(conn)
	}
}

// Pipe connects a client of this process. It fits Client.Dial.
func (s *Server) Pipe(context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	if !s.take(ours) {
		return nil, net.ErrClosed
	}
	return theirs, nil
}

// Close ends all connections and waits for their goroutines.
func (s *Server) Close() {
	s.stop()
	s.mu.Lock()
	s.closed = true
	for conn := range s.open {
		conn.Close()
	}
	s.mu.Unlock()
	s.clients.Wait()
}

// take serves a connection, unless the server is closed.
func (s *Server) take(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		conn.Close()
		return false
	}
	s.open[conn] = true
	s.clients.Go(func() {
		s.serve(s.ctx, conn)
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
		conn.Close()
	})
	return true
}

func (s *Server) serve(ctx context.Context, conn net.Conn) {
	in := bufio.NewReader(conn)
	first, err := in.ReadBytes('\n')
	var req request
	if err != nil || json.Unmarshal(first, &req) != nil {
		return
	}
	kinds := map[string]func(context.Context, net.Conn, *bufio.Reader, request){
		kindRun: s.run, kindAgent: s.agent, kindStream: s.stream, kindStatus: s.status, kindStop: s.leave,
		kindFaultAdd: s.addFault, kindFaultClear: s.clearFaults, kindFaultTake: s.takeFaults, kindChaos: s.chaos,
		kindProfile: s.profile, kindSleep: s.sleep, kindUsbmux: s.usbmux,
	}
	handle, ok := kinds[req.Kind]
	if !ok {
		say(conn, reply{Error: fmt.Sprintf("the service does not know %q", req.Kind)})
		return
	}
	handle(ctx, conn, in, req)
}

func say(conn io.Writer, r reply) error { return json.NewEncoder(conn).Encode(r) }

// FrontEnd plays a tool on the world and returns its exit status. Cancelling ctx acts like an interrupt from the keyboard.
type FrontEnd func(ctx context.Context, w *world.World, c tool.Call) int

// run plays a tool. A client that sends interrupt still gets the later output; a client that disconnects cancels the tool.
func (s *Server) run(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	play, ok := s.Tools[req.Tool]
	if !ok {
		say(conn, reply{Error: fmt.Sprintf("the service cannot play %q", req.Tool)})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stdin := newInbox()
	go func() {
		stdin.fill(in)
		cancel()
	}()
	var mu sync.Mutex
	exit := play(ctx, s.World, tool.Call{
		Args: req.Args, Dir: req.Dir, Env: req.Env, Stdin: stdin, Stdout: &output{&mu, conn, 1}, Stderr: &output{&mu, conn, 2},
	})
	mu.Lock()
	defer mu.Unlock()
	say(conn, reply{Exit: &exit})
}

// output sends a tool's output.
type output struct {
	mu     *sync.Mutex
	conn   net.Conn
	stream int
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := say(o.conn, reply{Stream: o.stream, Data: data}); err != nil {
		return 0, err
	}
	return len(data), nil
}

// agent registers the agent of a process until the process ends.
func (s *Server) agent(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	spec := req.Agent
	udid, err := s.udid(spec)
	if err != nil {
		say(conn, reply{Error: err.Error()})
		return
	}
	if spec.IDB {
		s.companion(ctx, conn, in, udid)
		return
	}
	runner, err := s.World.RunTests(ctx, udid, spec.PID, spec.Runner)
	if err != nil {
		say(conn, reply{Error: err.Error()})
		return
	}
	leave := runner.Abandon
	defer func() { leave() }()
	crashed := func() { say(conn, reply{Crash: true}) }
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	runs := s.serving(ctx, conn, spec, crashed)
	id := s.register(runs)
	defer s.unregister(id)
	at, err := s.listen(spec, runs)
	if err != nil {
		say(conn, reply{Error: err.Error()})
		return
	}
	defer s.unlisten(at)
	s.Log.Info("agent", "id", id, "udid", spec.UDID, "pid", spec.PID)
	if say(conn, reply{ID: id, Port: at.number}) == nil {
		go s.dieWithDevice(ctx, spec.UDID, runner, crashed)
		if _, err := in.ReadByte(); err == nil { // until the process ends it or disconnects
			leave = runner.End
		}
	}
}

// served is the server in a process: our agent, WebDriverAgent, or idb_companion.
type served interface {
	Serve(ctx context.Context, conn net.Conn) error
	Kill()
}

// serving makes the server for a runner.
func (s *Server) serving(ctx context.Context, conn net.Conn, spec AgentSpec, crashed func()) served {
	if spec.WDA {
		return s.webDriverAgent(ctx, spec.UDID, crashed)
	}
	return agent.New(agent.Options{
		UDID: spec.UDID, Token: spec.Token, Build: spec.Build, PID: spec.PID, PublicOnly: spec.PublicOnly, Screen: s.World, Clock: s.Clock,
		Screenshot: func(ctx context.Context) ([]byte, error) {
			scene, err := s.World.Scene(ctx, spec.UDID)
			if err != nil {
				return nil, err
			}
			return render.PNG(scene)
		},
		TakeFault: func(name string) (flaw.Hit, bool) { return s.World.TakeFault(spec.UDID, name) },
		Served:    s.count,
		Crash:     crashed,
		Ended:     func() { say(conn, reply{Ended: true}) },
	})
}

// count counts the requests to agents.
func (s *Server) count(look bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.Requests++
	if look {
		s.asked.Looks++
	}
}

func (s *Server) register(a served) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id := fmt.Sprintf("agent-%d", s.last)
	s.agents[id] = a
	return id
}

// unregister ends a server.
func (s *Server) unregister(id string) {
	s.mu.Lock()
	a := s.agents[id]
	delete(s.agents, id)
	s.mu.Unlock()
	a.Kill()
}

// stream serves one connection of an agent's client.
func (s *Server) stream(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	s.mu.Lock()
	a := s.agents[req.ID]
	s.mu.Unlock()
	if a == nil {
		return
	}
	err := a.Serve(ctx, &buffered{conn, in})
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Log.Info("agent stream ended", "id", req.ID, "error", err)
	}
}

// buffered is a connection with some bytes already read.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

func (s *Server) status(ctx context.Context, conn net.Conn, _ *bufio.Reader, _ request) {
	st := Status{PID: os.Getpid(), StartedAt: s.started.UTC(), Time: s.Time, Devices: []Device{}, Faults: []flaw.Fault{},
		Damaged: s.World.Damaged()}
	for _, d := range s.World.Devices() {
		app, _ := s.World.Foreground(d.UDID) // a device that is off has no processes
		st.Devices = append(st.Devices, Device{
			UDID: d.UDID, Name: d.Name, State: string(d.State), App: app, Model: d.Type.Name,
			Platform: d.Runtime.Platform, Version: d.Runtime.Version, Build: d.Runtime.Build, Unavailable: d.Runtime.Unavailable,
		})
	}
	for _, d := range s.World.Physicals() {
		st.Physical = append(st.Physical, Device{
			UDID: d.UDID, Name: d.Name, State: string(d.State), Model: d.Type.Name,
			Platform: d.Runtime.Platform, Version: d.Runtime.Version, Build: d.Runtime.Build, Locked: d.Locked,
		})
	}
	s.describeFaults(&st)
	s.mu.Lock()
	st.Agents, st.Asked = len(s.agents), s.asked
	s.mu.Unlock()
	say(conn, reply{Status: &st})
}

func (s *Server) leave(_ context.Context, conn net.Conn, _ *bufio.Reader, _ request) {
	say(conn, reply{})
	s.stop()
}

func answer(conn net.Conn, err error) {
	r := reply{}
	if err != nil {
		r.Error = err.Error()
	}
	say(conn, r)
}
