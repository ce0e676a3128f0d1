// Package webdriver serves W3C WebDriver and the routes of WebDriverAgent over the operations of ios-agent. An Appium suite, Appium
// Inspector, WebdriverIO, or an Appium server with our address as webDriverAgentUrl can drive every device through its Server. Each
// WebDriver session is a session of the product with its own lease. All work goes through an op.Caller: this package must not know drivers
// or devices.
package webdriver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/op"
)

// Options configure a Server. Only Connect is required.
type Options struct {
	Connect func(session string) (op.Caller, error) // returns a caller for a session of the product
	Token   string                                  // the first part of every path; empty: no token
	Project string                                  // the session of the project, as Connect takes it
	Device  string                                  // udid or name of the device of all sessions; empty: sessions choose
	Version string
	Folder  Folder
	Say     func(hint string) string // renders a hint; nil: with the names of operations
	// Now is the clock for idle sessions, and Pause waits; nil: the real clock.
	Now   func() time.Time
	Pause func(ctx context.Context, d time.Duration) error
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	Options
	routes []route

	mu       sync.Mutex
	sessions map[string]*session
	making   int // sessions that are being created
	closed   bool
}

// The limits of a server for its clients.
const (
	mostBody     = 4 << 20
	mostSessions = 32
)

// New creates a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = pause.For
	}
	s := &Server{Options: o, sessions: map[string]*session{}}
	s.routes = routes()
	return s
}

// NewToken creates the secret part of an address.
func NewToken() string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // it never fails
	return hex.EncodeToString(raw)
}

// request is one command.
type request struct {
	*Server
	session *session // nil: the command needs no session
	device  string   // from the path; empty: not named
	params  map[string]string
	query   url.Values
	body    map[string]json.RawMessage
}

// ServeHTTP answers one command.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	value, id, err := s.serve(r)
	if err != nil {
		write(w, s.failureOf(err), id)
		return
	}
	write(w, answer{http.StatusOK, value}, id)
}

func (s *Server) serve(r *http.Request) (value any, session string, err error) {
	path, err := s.admit(r)
	if err != nil {
		return nil, "", err
	}
	device, path := devicePath(path)
	found, params, err := s.find(r.Method, path)
	if err != nil {
		return nil, "", err
	}
	q := &request{Server: s, device: device, params: params, query: r.URL.Query()}
	if err := q.read(r); err != nil {
		return nil, "", err
	}
	if found.free {
		value, err = found.do(r.Context(), q)
		return value, "", err
	}
	one, err := s.enter(params["session"], device)
	if err != nil {
		return nil, "", err
	}
	defer s.leave(one)
	q.session = one
	value, err = found.do(op.WithClient(r.Context(), client), q)
	if over(err) {
		s.forget(one)
	}
	return value, one.id, err
}

// client is the server's name in lists of device holders.
const client = "webdriver"

// admit accepts only programs of this machine that know the token, and returns the path after the token. A web page can make a browser send
// requests to this port, but not with a loopback Host, and never without an Origin.
func (s *Server) admit(r *http.Request) (string, error) {
	switch {
	case !loopback(r.Host):
		return "", refused("the Host %q is not a loopback address", r.Host)
	case !own(r.Header.Get("Origin"), r.Host):
		return "", refused("requests from the web page %q are refused", r.Header.Get("Origin"))
	case r.Header.Get("Sec-Fetch-Site") == "cross-site": // such as for a picture in a page, whose request has no Origin
		return "", refused("requests from web pages are refused")
	}
	path := r.URL.Path
	if s.Token == "" {
		return path, nil
	}
	given, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.Token))
	if subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
		return "", refused("the path does not begin with the secret part of the address").
			hinted("use the whole address that the server printed at its start")
	}
	return "/" + rest, nil
}

// devicePath removes /device/UDID from the front of a path: an Appium server can name a device only in our address.
func devicePath(path string) (device, rest string) {
	after, is := strings.CutPrefix(path, "/device/")
	if !is {
		return "", path
	}
	device, rest, _ = strings.Cut(after, "/")
	return device, "/" + rest
}

func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// own reports whether a request comes from a program, or from a page of this very address: pages of other ports are foreign.
func own(origin, host string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == host
}

// read reads the body of a POST: a JSON object or nothing.
func (q *request) read(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, mostBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return fail(invalidArgument, "the body has more than %d bytes", mostBody)
	}
	if err != nil {
		return fail(unknownError, "cannot read the body: %v", err)
	}
	if len(raw) == 0 {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fail(invalidArgument, "unsupported content type %q", r.Header.Get("Content-Type")).
			hinted("send application/json: web pages can send other types without the browser's check")
	}
	if err := json.Unmarshal(raw, &q.body); err != nil {
		return fail(invalidArgument, "the body is not a JSON object: %v", fault.OfJSON(err))
	}
	return nil
}

// enter finds a session and keeps it from ending while a command runs. A command without a session id uses the only session: a device
// without a lease is never touched.
func (s *Server) enter(id, device string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[id]
	if id == "" {
		var several bool
		for _, each := range s.sessions {
			if device == "" || device == each.udid || strings.EqualFold(device, each.device) {
				several = one != nil
				one = each
			}
		}
		if several {
			return nil, fail(invalidSession, "the path names no session, but several exist").
				hinted("use /session/ID/… with the id from New Session")
		}
	}
	if one == nil {
		return nil, fail(invalidSession, "unknown session %s", cmp.Or(id, "(none exists)")).
			hinted("it was deleted, or unused for longer than its newCommandTimeout; POST /session creates a new one")
	}
	one.busy++
	return one, nil
}

func (s *Server) leave(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.busy--
	one.last = s.Now()
}

// forget drops a session that has lost its device.
func (s *Server) forget(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, one.id)
}

// renewAfter is the interval for renewing the leases of sessions that may be unused for longer than a lease lasts.
const renewAfter = 10 * time.Minute

// Expire ends the sessions whose idle time is over, and renews the leases of the others.
func (s *Server) Expire(ctx context.Context) {
	var idle, kept []*session
	s.mu.Lock()
	now := s.Now()
	for id, one := range s.sessions {
		switch {
		case one.patience > 0 && one.busy == 0 && now.Sub(one.last) > one.patience:
			idle = append(idle, one)
			delete(s.sessions, id)
		case now.Sub(one.renewed) > renewAfter:
			one.renewed = now
			kept = append(kept, one)
		}
	}
	s.mu.Unlock()
	for _, one := range idle {
		_ = one.release(ctx) // no client waits for the error; the lease ends by itself later
	}
	for _, one := range kept {
		_ = one.renew(ctx) // the next command reports the error
	}
}

// Close ends all sessions and refuses new ones.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	all := s.sessions
	s.sessions, s.closed = map[string]*session{}, true
	s.mu.Unlock()
	var errs []error
	for _, one := range all {
		errs = append(errs, one.release(ctx))
	}
	return errors.Join(errs...)
}

// expireEvery is the interval of the search for idle sessions.
const expireEvery = time.Second

// Serve serves until the context ends, and gives every device back before it returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	web := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return calls },
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.Expire(calls)
		case err := <-served:
			return errors.Join(err, s.end(calls))
		case <-ctx.Done():
			cancel() // running commands end now: after ctrl-C the user does not want to wait
			return errors.Join(drain(web), s.end(ctx))
		}
	}
}

// drain waits until the running commands have ended: one may have taken a lease.
func drain(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), endWait)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		return web.Close()
	}
	return nil
}

// endWait is the maximum time for giving devices back.
const endWait = 20 * time.Second

func (s *Server) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	return s.Close(ctx)
}
