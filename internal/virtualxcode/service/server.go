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
	"ios-agent/internal/virtualxcode/axe"
	"ios-agent/internal/virtualxcode/devicectl"
	"ios-agent/internal/virtualxcode/idb"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/world"
)

// Server holds the world and answers the tools.
type Server struct {
	World *world.World
	Clock world.Clock
	Place resident.Place
	Build string
	Time  string              // what Status says of the clock
	More  map[string]FrontEnd // tools that need more than the world
	Log   *slog.Logger

	started time.Time
	stop    context.CancelFunc

	mu     sync.Mutex
	last   int
	agents map[string]*agent.Agent
	open   map[net.Conn]bool
	asked  Asked
}

// Run serves until ctx ends or a client stops it.
func (s *Server) Run(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	listener, err := resident.Listen(s.Place, resident.Info{Build: s.Build})
	if err != nil {
		return err
	}
	defer listener.Close()
	s.started, s.agents, s.open = time.Now(), map[string]*agent.Agent{}, map[net.Conn]bool{}
	s.Log.Info("virtual service serves", "socket", listener.Info.Socket, "time", s.Time)
	var clients sync.WaitGroup
	context.AfterFunc(ctx, func() { listener.Listener.Close(); s.hangUp() })
	for {
		conn, err := listener.Listener.Accept()
		if err != nil {
			break
		}
		clients.Go(func() { s.serve(ctx, conn) })
	}
	s.hangUp()
	clients.Wait()
	return nil
}

func (s *Server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.open {
		conn.Close()
	}
}

func (s *Server) serve(ctx context.Context, conn net.Conn) {
	s.mu.Lock()
	s.open[conn] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
		conn.Close()
	}()
	in := bufio.NewReader(conn)
	first, err := in.ReadBytes('\n')
	var req request
	if err != nil || json.Unmarshal(first, &req) != nil {
		return
	}
	kinds := map[string]func(context.Context, net.Conn, *bufio.Reader, request){
		kindRun: s.run, kindAgent: s.agent, kindStream: s.stream, kindStatus: s.status, kindStop: s.leave,
		kindFaultAdd: s.addFault, kindFaultClear: s.clearFaults, kindFaultTake: s.takeFaults, kindChaos: s.chaos,
	}
	handle, ok := kinds[req.Kind]
	if !ok {
		say(conn, reply{Error: fmt.Sprintf("the service does not know %q", req.Kind)})
		return
	}
	handle(ctx, conn, in, req)
}

func say(conn io.Writer, r reply) error { return json.NewEncoder(conn).Encode(r) }

// FrontEnd plays a tool on the world. env is what the caller's environment has for it.
type FrontEnd func(ctx context.Context, w *world.World, argv []string, dir string, env map[string]string, stdin io.Reader, stdout, stderr io.Writer) int

func frontEnds() map[string]FrontEnd {
	return map[string]FrontEnd{
		"simctl": simctl.RunInput,
		"axe": func(ctx context.Context, w *world.World, argv []string, dir string, _ map[string]string, stdin io.Reader, stdout, stderr io.Writer) int {
			return axe.Run(ctx, w, argv, dir, stdin, stdout, stderr)
		},
		"devicectl": func(ctx context.Context, w *world.World, argv []string, dir string, env map[string]string, _ io.Reader, stdout, stderr io.Writer) int {
			return devicectl.Run(ctx, w, argv, dir, env, stdout, stderr)
		},
		"idb": func(ctx context.Context, w *world.World, argv []string, dir string, _ map[string]string, _ io.Reader, stdout, stderr io.Writer) int {
			return idb.Run(ctx, w, argv, dir, stdout, stderr)
		},
		"log": func(ctx context.Context, w *world.World, argv []string, _ string, _ map[string]string, _ io.Reader, stdout, stderr io.Writer) int {
			return simctl.HostLog(ctx, w, argv, stdout, stderr)
		},
	}
}

// run plays a tool. A client that says interrupt gets what the tool has to say to a ctrl-C; one that hangs up cancels it.
func (s *Server) run(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	tool, ok := s.More[req.Tool]
	if !ok {
		tool, ok = frontEnds()[req.Tool]
	}
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
	exit := tool(ctx, s.World, req.Args, req.Dir, req.Env, stdin, &output{&mu, conn, 1}, &output{&mu, conn, 2})
	mu.Lock()
	defer mu.Unlock()
	say(conn, reply{Exit: &exit})
}

// output sends what a tool prints.
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

// agent registers the agent of a process and keeps it until the process is gone.
func (s *Server) agent(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	spec := req.Agent
	if _, err := s.World.Find(spec.UDID); err != nil {
		say(conn, reply{Error: err.Error()})
		return
	}
	crashed := func() { say(conn, reply{Crash: true}) }
	a := agent.New(agent.Options{
		UDID: spec.UDID, Token: spec.Token, Build: spec.Build, PID: spec.PID, Screen: s.World, Clock: s.Clock,
		Screenshot: func(ctx context.Context) ([]byte, error) {
			scene, err := s.World.Scene(ctx, spec.UDID)
			if err != nil {
				return nil, err
			}
			return render.PNG(scene)
		},
		TakeFault: func(name string) (world.Hit, bool) { return s.World.TakeFault(spec.UDID, name) },
		Served:    s.count,
		Crash:     crashed,
	})
	id := s.register(a)
	defer s.unregister(id)
	defer a.Kill()
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	s.Log.Info("agent", "id", id, "udid", spec.UDID, "pid", spec.PID)
	if say(conn, reply{ID: id}) == nil {
		go s.dieWithDevice(ctx, spec.UDID, crashed)
		in.ReadByte() // until the process is gone
	}
}

// count counts what the agents are asked.
func (s *Server) count(look bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked.Requests++
	if look {
		s.asked.Looks++
	}
}

func (s *Server) register(a *agent.Agent) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id := fmt.Sprintf("agent-%d", s.last)
	s.agents[id] = a
	return id
}

func (s *Server) unregister(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.agents, id)
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

// buffered is a connection some of whose bytes were read ahead.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

func (s *Server) status(ctx context.Context, conn net.Conn, _ *bufio.Reader, _ request) {
	st := Status{PID: os.Getpid(), StartedAt: s.started.UTC(), Time: s.Time, Devices: []Device{}, Faults: []Fault{}}
	for _, d := range s.World.Devices() {
		app, _ := s.World.Foreground(d.UDID) // a device that is off has none
		st.Devices = append(st.Devices, Device{
			UDID: d.UDID, Name: d.Name, State: string(d.State), App: app, Model: d.Type.Name,
			Platform: d.Runtime.Platform, Version: d.Runtime.Version, Build: d.Runtime.Build, Unavailable: d.Runtime.Unavailable,
		})
	}
	for _, d := range s.World.Physicals() {
		st.Physical = append(st.Physical, Device{
			UDID: d.UDID, Name: d.Name, State: string(d.State), Model: d.Type.Name,
			Platform: d.Runtime.Platform, Version: d.Runtime.Version, Build: d.Runtime.Build,
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
