package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/rest"
)

// Server is the daemon.
type Server struct {
	// Open makes what the daemon serves, once it is certain that no other daemon lives in this home.
	Open     func(url string) (Served, error)
	Place    resident.Place
	Build    self.Build
	Key      *Key
	Listen   string        // TCP address; empty: the first free port from FirstPort on, on loopback
	Remote   bool          // other machines may call; see CheckListen
	IdleExit time.Duration // without a call for so long, the daemon leaves; 0 never
	Log      *slog.Logger

	served    Served
	catalogue *op.Catalogue // that is served
	listener  *resident.Listener
	url       string
	stop      context.CancelFunc

	mu      sync.Mutex
	calls   int
	idle    *time.Timer
	leaving bool // no call begins any more
}

// Served is what a daemon serves.
type Served struct {
	Catalogue *op.Catalogue
	More      http.Handler    // for what is neither an operation nor the daemon's own: MCP, documents
	Holds     func() []string // what ends with the daemon and keeps it from leaving when it is idle; nil: nothing
	Parts     io.Closer       // closed when the daemon leaves
}

// drainTime is how long running calls may take to finish when the daemon ends.
const drainTime = 5 * time.Second

// ErrRunning says that another daemon lives in this home already.
var ErrRunning = resident.ErrHeld

// Run serves until ctx ends, a client stops it, or nobody called for IdleExit.
func (s *Server) Run(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	if err := CheckListen(s.Listen, s.Remote); err != nil {
		return err
	}
	listener, err := resident.Listen(s.Place, resident.Info{Build: s.Build.ID, BuildTime: s.Build.Time})
	if err != nil {
		return err
	}
	defer listener.Close() // last of all: until then no successor starts
	s.listener = listener
	tcp, err := listenTCP(s.Listen)
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	tcp = limit(tcp, mostConnections)
	defer tcp.Close()
	s.url = "http://" + tcp.Addr().String()
	if s.served, err = s.Open(s.url); err != nil {
		return err
	}
	s.catalogue = s.served.Catalogue
	defer s.served.Parts.Close()
	s.arm()
	remote := guard(s.Key, s.Remote, rest.Public(s.catalogue), s.counted(api(s.catalogue, s.served.More)))
	err = s.serve(ctx, map[net.Listener]http.Handler{listener.Listener: s.local(), tcp: remote})
	s.Log.Info("daemon leaves", "error", err)
	return err
}

// serve runs an HTTP server a listener and drains them all when ctx ends.
func (s *Server) serve(ctx context.Context, handlers map[net.Listener]http.Handler) error {
	failed := make(chan error, len(handlers))
	var servers []*http.Server
	for listener, handler := range handlers {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
			IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)}
		servers = append(servers, server)
		go func() { failed <- server.Serve(listener) }()
	}
	s.Log.Info("daemon serves", "pid", os.Getpid(), "socket", s.listener.Info.Socket, "url", s.url, "build", s.Build.ID)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	limit, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	go s.catalogue.Jobs().CancelAll(limit)
	s.catalogue.EndStreams(fault.New(fault.Cancelled, "the daemon is ending").WithHint("begin the stream again: that starts a new daemon"))
	for _, server := range servers {
		if server.Shutdown(limit) != nil {
			server.Close()
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// FirstPort is where REST is looked for first.
const FirstPort = 9100

// listenTCP takes the address it is given, or the first free loopback port: several homes may live on one machine.
func listenTCP(address string) (net.Listener, error) {
	if address != "" {
		return net.Listen("tcp", address)
	}
	const tries = 100
	for port := FirstPort; port < FirstPort+tries; port++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// local is what the unix socket serves: its file mode is the key.
func (s *Server) local() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /call/{op}", s.call)
	mux.HandleFunc("POST /leave/{trace}", func(w http.ResponseWriter, r *http.Request) {
		s.catalogue.Jobs().CancelTrace(r.PathValue("trace"))
	})
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		s.stop()
	})
	mux.Handle("/", s.counted(api(s.catalogue, s.served.More)))
	return mux
}

// Handler is what the TCP port of a daemon serves: to callers with the key, on this machine.
func Handler(c *op.Catalogue, more http.Handler, key *Key) http.Handler {
	return guard(key, false, rest.Public(c), api(c, more))
}

// api is what both the socket and the TCP port serve.
func api(c *op.Catalogue, more http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", rest.Handler(c))
	for _, path := range []string{"/mcp", "/openapi.json"} {
		mux.Handle(path, more)
	}
	return mux
}

// counted counts the running calls. A call that only asks whether the daemon runs does not keep it, and always gets an answer.
func (s *Server) counted(next http.Handler) http.Handler {
	public := rest.Public(s.catalogue)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if public[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		end, err := s.begin()
		if err != nil {
			rest.Fail(w, err)
			return
		}
		defer end()
		next.ServeHTTP(w, r)
	})
}

// begin notes a call under way; the daemon never leaves by itself while there is one. One too many is refused.
func (s *Server) begin() (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving {
		return nil, &leavingError{}
	}
	if s.calls >= mostCalls {
		return nil, tooManyCalls()
	}
	s.calls++
	if s.idle != nil {
		s.idle.Stop()
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.calls--
		s.mu.Unlock()
		s.arm()
	}), nil
}

// arm starts the idle clock when no call is under way.
func (s *Server) arm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.IdleExit <= 0 || s.calls > 0 {
		return
	}
	if s.idle != nil {
		s.idle.Stop()
	}
	s.idle = time.AfterFunc(s.IdleExit, s.leaveIfIdle)
}

func (s *Server) leaveIfIdle() {
	if len(s.holds()) > 0 || !s.leave(0) {
		s.arm()
		return
	}
	s.Log.Info("idle", "for", s.IdleExit)
}

// leave ends the daemon, unless more calls and jobs are running than the given number. Later calls get a leavingError and look for another
// daemon: this one would cancel them.
func (s *Server) leave(calls int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls+s.catalogue.Jobs().Active() > calls {
		return false
	}
	s.leaving = true
	s.stop()
	return true
}

// leavingError says that this daemon takes no call any more.
type leavingError struct{}

func (e *leavingError) Error() string { return "the daemon is ending and accepts no more calls" }

// Fault is the error for a caller that does not look for another daemon by itself.
func (e *leavingError) Fault() *fault.Fault {
	return fault.New(fault.DaemonUnreachable, "%w", e).WithHint("start a new daemon with %s and send the call again",
		hint.Command("ios-agent daemon start"))
}

// holds is what a daemon that is idle stays for. For a newer client it leaves all the same.
func (s *Server) holds() []string {
	if s.served.Holds == nil {
		return nil
	}
	return s.served.Holds()
}

// busy counts what is under way: calls, and jobs nobody waits for.
func (s *Server) busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls + s.catalogue.Jobs().Active()
}

// suits says whether this daemon is the right one for a client: not older than the client's build, and of the
// toolchain it asks for. Two installs that differ never kill each other in turn, because only one of them is newer.
func (s *Server) suits(client request) bool {
	older := client.Build.ID != "" && client.Build.ID != s.Build.ID && client.Build.Time.After(s.Build.Time)
	other := client.Toolchain != "" && client.Toolchain != s.catalogue.Toolchain()
	return !older && !other
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	done, err := s.begin()
	if leaving := (*leavingError)(nil); errors.As(err, &leaving) {
		_ = json.NewEncoder(w).Encode(line{Leaving: &s.listener.Info.StartedAt}) // to a client that may be gone
		return
	}
	if err != nil {
		_ = json.NewEncoder(w).Encode(line{Envelope: new(op.Failed(err, op.Meta{}))}) // to a client that may be gone
		return
	}
	defer done()
	out := &answer{lines: json.NewEncoder(w), flush: http.NewResponseController(w), done: done}
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&req); err != nil {
		out.end(op.Failed(fault.New(fault.InvalidInput, "the call cannot be read: %w", fault.OfJSON(err)), op.Meta{}))
		return
	}
	if !s.suits(req) {
		if ends := s.holds(); s.leave(1) {
			s.Log.Info("stepping aside", "build", req.Build.ID, "toolchain", req.Toolchain)
			out.say(line{Leaving: &s.listener.Info.StartedAt, Ends: ends})
			return
		}
	}
	if req.Toolchain != "" && req.Toolchain != s.catalogue.Toolchain() {
		out.end(op.Failed(fault.New(fault.DaemonUnreachable, "the daemon of this home is busy with the %s toolchain",
			s.catalogue.Toolchain()).
			WithHint("wait, or set IOS_AGENT_HOME to another folder"), op.Meta{}))
		return
	}
	if out.begin() != nil {
		return
	}
	call := op.Call{
		Session: req.Session, Client: req.Client, Dir: req.Dir, Env: req.Env, Process: req.Process, Trace: req.Trace, Request: req.Trace,
		Parent: req.Parent, Alone: req.Alone,
	}.
		WithProgress(func(e op.Event) { out.say(line{Event: &e}) })
	name := r.PathValue("op")
	if o, err := s.catalogue.Lookup(name); err == nil && o.Streams() {
		out.end(s.catalogue.Stream(r.Context(), name, call, req.Input, func(item any) error { return out.say(line{Item: item}) }))
		return
	}
	out.end(s.catalogue.Run(r.Context(), name, call, req.Input))
}

// answer writes the lines of one answer. Progress may come from another goroutine, and even after the end.
type answer struct {
	mu    sync.Mutex
	lines *json.Encoder
	flush *http.ResponseController
	done  func() // called before the last line is sent: a client that has read it finds the daemon idle
	over  bool
}

// begin sends the head of the answer before the call begins: a client that never got it knows that the call did nothing.
func (a *answer) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.flush.Flush()
}

func (a *answer) say(l line) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return nil
	}
	a.over = l.Envelope != nil || l.Leaving != nil
	if err := a.lines.Encode(l); err != nil {
		return err
	}
	return a.flush.Flush()
}

// end sends the last line. A client that is gone is not an error.
func (a *answer) end(e op.Envelope) {
	a.done()
	_ = a.say(line{Envelope: &e})
}

// maxCall bounds a call from an ios-agent client.
const maxCall = 16 << 20

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	info := s.listener.Info
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Status{
		Running: true, PID: info.PID, Build: s.Build.ID, Toolchain: s.catalogue.Toolchain(), URL: s.url, KeyFile: s.Key.Path,
		Socket: info.Socket, Log: s.Place.LogPath(), Calls: s.busy(), StartedAt: info.StartedAt,
	})
}
