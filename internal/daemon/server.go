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
	"ios-agent/internal/op"
	"ios-agent/internal/resident"
	"ios-agent/internal/self"
	"ios-agent/internal/surface/rest"
)

// Server is the daemon.
type Server struct {
	// Open makes what the daemon serves, once it is certain that no other daemon lives in this home.
	Open     func() (*op.Catalogue, io.Closer, error)
	Place    resident.Place
	Build    self.Build
	Key      string        // of the HTTP surface
	KeyFile  string        // where it is kept
	Port     int           // first TCP port to try
	IdleExit time.Duration // without a call for so long, the daemon leaves; 0 never
	Log      *slog.Logger

	catalogue *op.Catalogue
	listener  *resident.Listener
	url       string
	stop      context.CancelFunc

	mu    sync.Mutex
	calls int
	idle  *time.Timer
}

// drainTime is what calls under way get to finish when the daemon is told to leave.
const drainTime = 5 * time.Second

// ErrRunning says that another daemon lives in this home already.
var ErrRunning = resident.ErrHeld

// Run serves until ctx ends, a client stops it, or nobody called for IdleExit.
func (s *Server) Run(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	listener, err := resident.Listen(s.Place, resident.Info{Build: s.Build.ID, BuildTime: s.Build.Time})
	if err != nil {
		return err
	}
	defer listener.Close() // last of all: until then no successor starts
	s.listener = listener
	catalogue, parts, err := s.Open()
	if err != nil {
		return err
	}
	defer parts.Close()
	s.catalogue = catalogue
	tcp, err := listenTCP(s.Port)
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	s.url = "http://" + tcp.Addr().String()
	s.arm()
	err = s.serve(ctx, map[net.Listener]http.Handler{listener.Listener: s.local(), tcp: guard(s.Key, s.public())})
	s.Log.Info("daemon leaves", "error", err)
	return err
}

// serve runs an HTTP server a listener and drains them all when ctx ends.
func (s *Server) serve(ctx context.Context, handlers map[net.Listener]http.Handler) error {
	failed := make(chan error, len(handlers))
	var servers []*http.Server
	for listener, handler := range handlers {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)}
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

// listenTCP takes the first free port from the given one on; several homes may live on one machine.
func listenTCP(port int) (net.Listener, error) {
	const tries = 100
	for p := port; p < port+tries; p++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p)); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// local is what the unix socket serves: its file mode is the key.
func (s *Server) local() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /call/{op}", s.call)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		s.stop()
	})
	mux.Handle("/", s.counted(rest.Handler(s.catalogue)))
	return mux
}

// public is what the TCP port serves.
func (s *Server) public() http.Handler { return s.counted(rest.Handler(s.catalogue)) }

func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.begin()()
		next.ServeHTTP(w, r)
	})
}

// begin notes a call under way; the daemon never leaves by itself while there is one.
func (s *Server) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.idle != nil {
		s.idle.Stop()
	}
	return func() {
		s.mu.Lock()
		s.calls--
		s.mu.Unlock()
		s.arm()
	}
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == 0 {
		s.Log.Info("idle", "for", s.IdleExit)
		s.stop()
	}
}

// suits says whether this daemon is the right one for a client: not older than the client's build, and of the
// toolchain it asks for. Two installs that differ never kill each other in turn, because only one of them is newer.
func (s *Server) suits(client request) bool {
	older := client.Build.ID != "" && client.Build.ID != s.Build.ID && client.Build.Time.After(s.Build.Time)
	other := client.Toolchain != "" && client.Toolchain != s.catalogue.Toolchain
	return !older && !other
}

// alone reports whether the call that asks is the only one under way.
func (s *Server) alone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls <= 1
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	defer s.begin()()
	answer := json.NewEncoder(w)
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&req); err != nil {
		e := op.Failed(fault.New(fault.InvalidInput, "the call cannot be read: %w", err), op.Meta{})
		answer.Encode(line{Envelope: &e})
		return
	}
	if !s.suits(req) && s.alone() {
		s.Log.Info("stepping aside", "build", req.Build.ID, "toolchain", req.Toolchain)
		answer.Encode(line{Replace: true})
		s.stop()
		return
	}
	if req.Toolchain != "" && req.Toolchain != s.catalogue.Toolchain {
		e := op.Failed(fault.New(fault.DaemonUnreachable, "the daemon of this home is busy with the %s toolchain", s.catalogue.Toolchain).
			WithHint("wait, or set IOS_AGENT_HOME to another folder"), op.Meta{})
		answer.Encode(line{Envelope: &e})
		return
	}
	flush := http.NewResponseController(w)
	var mu sync.Mutex
	call := op.Call{Session: req.Session, Dir: req.Dir, Env: req.Env, Trace: req.Trace}.WithProgress(func(e op.Event) {
		mu.Lock()
		defer mu.Unlock()
		answer.Encode(line{Event: &e})
		flush.Flush()
	})
	e := s.catalogue.Run(r.Context(), r.PathValue("op"), call, req.Input)
	mu.Lock()
	defer mu.Unlock()
	answer.Encode(line{Envelope: &e})
}

// maxCall bounds a call from a client of ours.
const maxCall = 16 << 20

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	calls := s.calls
	s.mu.Unlock()
	info := s.listener.Info
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Status{
		Running: true, PID: info.PID, Build: s.Build.ID, Toolchain: s.catalogue.Toolchain, URL: s.url, KeyFile: s.KeyFile,
		Socket: info.Socket, Log: s.Place.LogPath(), Calls: calls, StartedAt: info.StartedAt,
	})
}
