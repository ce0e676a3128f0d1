// Package wda is a virtual WebDriverAgent: a Server serves the routes of version 10 and later over HTTP, for one device of the virtual
// world. Names, shapes and rules come from WebDriverAgent's public sources; XCTest's effects are assumed (Marks). It must not know how
// it was started or which clients it has.
package wda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/render"
	"ios-agent/internal/virtualxcode/single"
	"ios-agent/internal/virtualxcode/world"
)

// Version is the imitated version of WebDriverAgent.
const Version = "10.2.1"

// Bundle is the bundle id of WebDriverAgent's app.
const Bundle = "com.facebook.WebDriverAgentRunner.xctrunner"

// ErrGone is the error of Listen after a fault ended the server.
var ErrGone = errors.New("WebDriverAgent crashed")

// Options configure a server. World and UDID are required.
type Options struct {
	World *world.World
	UDID  string
	// KeepsUp lets the world's time pass in real time between commands. It is for a world whose time passes only on request, with
	// clients that wait in real time.
	KeepsUp bool
	// Served is called for every command, with whether the command reads the tree; may be nil.
	Served func(look bool)
}

// Server serves one device. Sessions and elements end with it.
type Server struct {
	opts   Options
	routes []route

	main sync.Mutex // the test's main thread: held during a command

	mu      sync.Mutex // guards the fields below
	session *session
	last    time.Time // the end of the last command
	gone    chan struct{}
	ended   bool
}

// New makes a server.
func New(o Options) *Server {
	if o.Served == nil {
		o.Served = func(bool) {}
	}
	s := &Server{opts: o, gone: make(chan struct{})}
	s.routes = routes()
	return s
}

// Listen serves connections of l until ctx ends or a fault ends the server. It closes l, and returns after every connection is closed.
func (s *Server) Listen(ctx context.Context, l net.Listener) error {
	return single.Until(ctx, s.gone, ErrGone, l, s, nil)
}

// Serve serves one connection until the client leaves, the server ends or ctx ends. It closes conn.
func (s *Server) Serve(ctx context.Context, conn net.Conn) error {
	return single.Serve(conn, func(l net.Listener) error { return s.Listen(ctx, l) })
}

// Gone is closed after the server has ended by itself or was killed.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Ended reports whether the server has ended.
func (s *Server) Ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// maxBody is the maximum size of a command.
const maxBody = 16 << 20

// ServeHTTP serves one command.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Ended() {
		cut(w)
		return
	}
	c := &call{Server: s, ctx: r.Context(), query: r.URL.Query(), path: r.URL.Path}
	h, found := s.find(c, r)
	if !found {
		s.answer(w, nil, problem(http.StatusNotFound, "unknown command", "Unhandled endpoint: %s -- http://%s/ with parameters {\n}",
			r.URL.Path, r.Host))
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err == nil && len(strings.TrimSpace(string(body))) > 0 && json.Unmarshal(body, &c.args) != nil {
		s.answer(w, nil, problem(http.StatusBadRequest, "invalid argument", "the body is not a JSON object"))
		return
	}
	value, err := s.perform(c, h)
	if errors.Is(err, ErrGone) {
		cut(w)
		return
	}
	s.answer(w, value, err)
}

// cut closes a connection without an answer.
func cut(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// perform carries out a command. Commands run one at a time, except commands that do not need the main thread.
func (s *Server) perform(c *call, h route) (any, error) {
	if h.aside {
		return h.do(c)
	}
	s.main.Lock()
	defer s.main.Unlock()
	if err := s.keepUp(c.ctx); err != nil {
		return nil, err
	}
	defer s.stamp()
	s.opts.Served(h.looks)
	hit, gone := s.happens(flaw.WDAPortGone)
	if gone && hit.Word("when") == "before" {
		return nil, s.die()
	}
	value, err := s.carryOut(c, h)
	if gone {
		return nil, s.die()
	}
	return value, err
}

func (s *Server) carryOut(c *call, h route) (any, error) {
	if h.session {
		if err := s.enter(c); err != nil {
			return nil, err
		}
	}
	if hit, slow := s.happensIf(h.looks, flaw.WDASlowSource); slow {
		if err := s.sleep(c.ctx, hit.Seconds("seconds")); err != nil {
			return nil, err
		}
	}
	return h.do(c)
}

// enter finds the session of a command.
func (s *Server) enter(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, lost := s.happens(flaw.WDASessionLost); lost {
		s.session = nil
	}
	if s.session == nil || s.session.id != c.params["session"] {
		return problem(http.StatusNotFound, "invalid session id", "Session does not exist")
	}
	c.session = s.session
	return nil
}

// happens reports whether a fault happens to this device now.
func (s *Server) happens(name string) (flaw.Hit, bool) {
	return s.opts.World.TakeFault(s.opts.UDID, name)
}

func (s *Server) happensIf(occasion bool, name string) (flaw.Hit, bool) {
	if !occasion {
		return flaw.Hit{}, false
	}
	return s.happens(name)
}

// sleep lets time pass: the world's, and the client's too in real time.
func (s *Server) sleep(ctx context.Context, d time.Duration) error { return s.opts.World.Sleep(ctx, d) }

// die ends the server.
func (s *Server) die() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.gone)
	}
	return ErrGone
}

// Kill ends the server like the end of its process.
func (s *Server) Kill() { _ = s.die() }

// keepUp advances the world's time by the real time since the last command.
func (s *Server) keepUp(ctx context.Context) error {
	if !s.opts.KeepsUp {
		return nil
	}
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last.IsZero() {
		return nil
	}
	return s.sleep(ctx, time.Since(last))
}

func (s *Server) stamp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

// answer writes the envelope of every answer.
func (s *Server) answer(w http.ResponseWriter, value any, err error) {
	status := http.StatusOK
	if err != nil {
		no := problemOf(err)
		status, value = no.status, map[string]any{"error": no.code, "message": no.message, "traceback": ""}
	}
	s.mu.Lock()
	var id any
	if s.session != nil {
		id = s.session.id
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value, "sessionId": id}) // the client has left
}

// picture is the screen as PNG.
func (s *Server) picture(ctx context.Context) ([]byte, error) {
	scene, err := s.opts.World.Scene(ctx, s.opts.UDID)
	if err != nil {
		return nil, err
	}
	return render.PNG(scene)
}

// trouble sends an error as WebDriverAgent does.
type trouble struct {
	status        int
	code, message string
}

func (t *trouble) Error() string { return t.code + ": " + t.message }

func problem(status int, code, format string, args ...any) error {
	return &trouble{status, code, fmt.Sprintf(format, args...)}
}

// problemOf converts an XCTest exception to an error.
func problemOf(err error) *trouble {
	if t, ok := errors.AsType[*trouble](err); ok {
		return t
	}
	return &trouble{http.StatusInternalServerError, "unknown error", err.Error()}
}

func invalid(format string, args ...any) error {
	return problem(http.StatusBadRequest, "invalid argument", format, args...)
}

func badState(format string, args ...any) error {
	return problem(http.StatusBadRequest, "invalid element state", format, args...)
}
