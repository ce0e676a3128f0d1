// Package idbcompanion is a virtual idb_companion: a Server serves the methods of its gRPC service that ios-agent uses, for one
// simulator of the virtual world. Names, numbers and rules come from idb's public sources; the effects in CoreSimulator are assumed
// (Marks). It must not know how it was started or which clients it has.
package idbcompanion

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/single"
	"ios-agent/internal/virtualxcode/world"
)

// ErrGone is the error of Listen after a fault ended the server.
var ErrGone = errors.New("idb_companion crashed")

// Options configure a server. World and UDID are required.
type Options struct {
	World *world.World
	UDID  string
	// KeepsUp lets the world's time pass in real time between calls. It is for a world whose time passes only on request, with clients
	// that wait in real time.
	KeepsUp bool
	// Served is called for every call, with whether the call reads the tree; nil is allowed.
	Served func(look bool)
}

// Server serves one simulator.
type Server struct {
	opts Options
	main sync.Mutex // held during a call that sends input or reads the screen

	mu     sync.Mutex // guards the fields below
	last   time.Time  // the end of the last call
	silent bool       // the server answers no call any more
	gone   chan struct{}
	ended  bool
}

// New makes a server.
func New(o Options) *Server {
	if o.Served == nil {
		o.Served = func(bool) {}
	}
	return &Server{opts: o, gone: make(chan struct{})}
}

// Listen serves connections of l until ctx ends or a fault ends the server. It closes l, and returns after every connection is closed.
func (s *Server) Listen(ctx context.Context, l net.Listener) error {
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	return single.Until(ctx, s.gone, ErrGone, l, s, &only)
}

// Serve serves one connection until the client leaves, the server ends or ctx ends. It closes conn.
func (s *Server) Serve(ctx context.Context, conn net.Conn) error {
	return single.Serve(conn, func(l net.Listener) error { return s.Listen(ctx, l) })
}

// Gone is closed after the server has ended by itself or was killed.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Kill ends the server like the end of its process.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.gone)
	}
}

// call is one call of a method.
type call struct {
	*Server
	ctx context.Context
	r   *http.Request
	w   http.ResponseWriter
}

// next reads a message of the client; io.EOF is the end.
func (c *call) next(message any) error { return idbwire.Read(c.r.Body, message) }

// say sends a message.
func (c *call) say(message any) error {
	if _, err := c.w.Write(idbwire.Frame(message)); err != nil {
		return err
	}
	return http.NewResponseController(c.w).Flush()
}

// method is a method of the service.
type method struct {
	do     func(*call) error
	looks  bool // it reads the tree
	inputs bool // it sends inputs
	aside  bool // runs concurrently with other calls
}

func methods() map[string]method {
	return map[string]method{
		idbwire.Describe:          {do: (*call).describe, aside: true},
		idbwire.AccessibilityInfo: {do: (*call).accessibilityInfo, looks: true},
		idbwire.HID:               {do: (*call).hid, inputs: true},
		idbwire.Screenshot:        {do: (*call).screenshot, aside: true},
		idbwire.Record:            {do: (*call).record, aside: true},
		idbwire.Log:               {do: (*call).log, aside: true},
		idbwire.Install:           {do: (*call).install},
		idbwire.Uninstall:         {do: (*call).uninstall},
		idbwire.ListApps:          {do: (*call).listApps},
		idbwire.Launch:            {do: (*call).launch},
		idbwire.Terminate:         {do: (*call).terminate},
		idbwire.OpenURL:           {do: (*call).openURL},
	}
}

// ServeHTTP serves one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{s, r.Context(), r, w}
	w.Header().Set("Content-Type", idbwire.ContentType)
	m, known := methods()[r.URL.Path]
	if !known {
		c.end(&idbwire.StatusError{Code: idbwire.Unimplemented, Message: "unknown method " + r.URL.Path})
		return
	}
	err := s.perform(c, m)
	if errors.Is(err, ErrGone) {
		<-c.ctx.Done() // the connection closes with the server
		panic(http.ErrAbortHandler)
	}
	c.end(err)
}

// end ends a call with its status.
func (c *call) end(err error) {
	code, text := idbwire.OK, ""
	if err != nil {
		code, text = idbwire.Internal, err.Error()
		if no, is := errors.AsType[*idbwire.StatusError](err); is {
			code, text = no.Code, no.Message
		}
	}
	h := c.w.Header()
	h.Set(http.TrailerPrefix+idbwire.StatusTrailer, strconv.Itoa(int(code)))
	if text != "" {
		h.Set(http.TrailerPrefix+idbwire.MessageTrailer, idbwire.Escape(text))
	}
	c.w.WriteHeader(http.StatusOK) // without effect after a message was sent
}

// perform carries out a call. Calls run one at a time, except concurrent methods.
func (s *Server) perform(c *call, m method) error {
	if err := s.hush(c.ctx); err != nil {
		return err
	}
	if m.aside {
		return m.do(c)
	}
	s.main.Lock()
	defer s.main.Unlock()
	if err := s.keepUp(c.ctx); err != nil {
		return err
	}
	defer s.stamp()
	s.opts.Served(m.looks)
	hit, dies := s.happens(flaw.IDBDies)
	if dies && hit.Word("when") == "before" {
		s.Kill()
		return ErrGone
	}
	if m.inputs && !dies {
		_, dies = s.happens(flaw.IDBInput)
	}
	err := m.do(c)
	if dies {
		s.Kill()
		return ErrGone
	}
	return err
}

// hush blocks a call forever if the companion no longer answers.
func (s *Server) hush(ctx context.Context) error {
	_, begins := s.happens(flaw.IDBSilent)
	s.mu.Lock()
	s.silent = s.silent || begins
	silent, ended := s.silent, s.ended
	s.mu.Unlock()
	if ended {
		return ErrGone
	}
	if !silent {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.gone:
		return ErrGone
	}
}

// happens reports whether a fault happens to this device now.
func (s *Server) happens(name string) (flaw.Hit, bool) {
	return s.opts.World.TakeFault(s.opts.UDID, name)
}

// keepUp advances the world's time by the real time since the last call.
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
	return s.opts.World.Sleep(ctx, time.Since(last))
}

func (s *Server) stamp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

func invalid(format string, args ...any) error {
	return &idbwire.StatusError{Code: idbwire.InvalidArgument, Message: fmt.Sprintf(format, args...)}
}

func unready(format string, args ...any) error {
	return &idbwire.StatusError{Code: idbwire.FailedPrecondition, Message: fmt.Sprintf(format, args...)}
}
