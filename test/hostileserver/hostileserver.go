// Package hostileserver has servers that attack a client, for tests of drivers that speak HTTP with a foreign server. The servers are
// silent, drip, never end, claim large sizes, answer unrequested things, or redirect the client elsewhere. Connections are pipes, and
// everything runs in a bubble of testing/synctest, so that a minute of waiting costs no time.
package hostileserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Kind is a way of being hostile.
type Kind struct {
	Name   string
	Answer http.HandlerFunc
	Fails  bool // no call may take its answer for one
	Deaf   bool // it does not read what it is sent
}

// Elsewhere is the host that redirects lead to. No request may name it.
const Elsewhere = "elsewhere.example"

// Kinds are the attacks that work for any protocol. The content type is an honest answer's, and begin is the beginning of an answer that
// never ends.
func Kinds(contentType, begin string) []Kind {
	answers := func(w http.ResponseWriter) { w.Header().Set("Content-Type", contentType) }
	all := []Kind{
		{"is silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true, false},
		{"is deaf", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true, true},
		{"is silent after its header", func(w http.ResponseWriter, r *http.Request) {
			answers(w)
			w.WriteHeader(http.StatusOK)
			flush(w)
			<-r.Context().Done()
		}, true, false},
		{"drips", func(w http.ResponseWriter, r *http.Request) {
			answers(w)
			put(w, begin)
			drip(r, func() { put(w, "x") })
		}, true, false},
		{"drips what it claims to be a terabyte", func(w http.ResponseWriter, r *http.Request) {
			answers(w)
			w.Header().Set("Content-Length", strconv.Itoa(1<<40))
			put(w, begin)
			drip(r, func() { put(w, "x") })
		}, true, false},
		{"drips headers", func(w http.ResponseWriter, r *http.Request) {
			drip(r, func() { w.WriteHeader(http.StatusEarlyHints) })
		}, true, false},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, false},
		{"hangs up in an answer", func(w http.ResponseWriter, _ *http.Request) {
			answers(w)
			put(w, begin)
			panic(http.ErrAbortHandler)
		}, true, false},
		{"has large headers", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 1_024 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 128))
			}
			put(w, begin)
		}, true, false},
	}
	for _, code := range []int{301, 302, 303, 307, 308} {
		all = append(all, Kind{fmt.Sprint("redirects with ", code), func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+Elsewhere+r.URL.Path, code)
		}, true, false})
	}
	for _, code := range []int{401, 407} {
		all = append(all, Kind{fmt.Sprint("wants a password with ", code), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.Header().Set("Proxy-Authenticate", `Basic realm="x"`)
			w.WriteHeader(code)
		}, true, false})
	}
	return all
}

// Saying is a kind that answers with a body, which may be mistaken for an answer.
func Saying(name string, status int, contentType string, body []byte) Kind {
	return Kind{name, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write(body) // who asked may have left
	}, false, false}
}

// drip does something every second, until who asked has left.
func drip(r *http.Request, do func()) {
	for each := time.NewTicker(time.Second); ; {
		select {
		case <-each.C:
			do()
		case <-r.Context().Done():
			each.Stop()
			return
		}
	}
}

func put(w http.ResponseWriter, text string) {
	_, _ = w.Write([]byte(text)) // who asked may have left
	flush(w)
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// Server serves over pipes. It is honest where it has an honest answer.
type Server struct {
	t      testing.TB
	conns  chan net.Conn
	closed chan struct{}
	begun  chan struct{} // a request for each
}

// Serve starts a server that is hostile to all requests except the requests for which honest has an answer, and stops it with the test. It
// also speaks HTTP/2 without TLS.
func Serve(t testing.TB, k Kind, honest Honest) *Server {
	s := &Server{t: t, conns: make(chan net.Conn), closed: make(chan struct{}), begun: make(chan struct{}, 10_000)}
	life, end := context.WithCancel(context.Background())
	serving := &http.Server{Protocols: new(http.Protocols), BaseContext: func(net.Listener) context.Context { return life }}
	serving.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !k.Deaf {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server hears that the client left
		}
		if strings.Contains(r.Host, Elsewhere) {
			t.Errorf("%s: %s %s was asked for at %s", k.Name, r.Method, r.URL, r.Host)
		}
		if honest != nil && honest(w, r) {
			return
		}
		s.begun <- struct{}{}
		k.Answer(w, r)
	})
	serving.Protocols.SetHTTP1(true)
	serving.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error)
	go func() { ended <- serving.Serve(s) }()
	t.Cleanup(func() {
		end()
		_ = serving.Close() // it closes s
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

// Asked is how many requests have come since it was called last that were not answered honestly.
func (s *Server) Asked() (n int) {
	for {
		select {
		case <-s.begun:
			n++
		default:
			return n
		}
	}
}

// Dial connects to the server.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case s.conns <- there:
		return here, nil
	case <-s.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var _ net.Listener = (*Server)(nil)

// Accept gives the other end of a connection.
func (s *Server) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the server.
func (s *Server) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

// Addr is a placeholder that net.Listener requires.
func (s *Server) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
