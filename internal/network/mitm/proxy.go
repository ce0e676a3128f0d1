// Package mitm is the intercepting proxy between apps and servers. A Proxy opens TLS with certificates of its own authority, speaks
// HTTP/1.1 and HTTP/2 on both sides, and streams bodies. It asks flow.Rules to decide about each request and reports each flow to a
// flow.Teller. It must not know patterns or stores, and must not start programs.
package mitm

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
)

// Options configure a Proxy. CA, Rules and Tell are required.
type Options struct {
	CA    *CA
	Rules flow.Rules
	Tell  flow.Teller

	// Whose identifies the client of a connection. It is called once for each accepted connection, and may be slow: only the connection's
	// first flow waits for it. If nil, only the address is known.
	Whose func(net.Conn) flow.Client
	// Own reports whether a port of this machine belongs to ios-agent. The proxy refuses such a port, and always its own ports.
	Own func(netip.AddrPort) bool

	Bodies   string         // folder for large bodies; empty stores no files
	MostFile int64          // maximum size of one body's file, 32 MiB when zero
	MostLook int64          // maximum bytes of a body for the rules, 10 MiB when zero
	MostSeen int64          // maximum bytes of all bodies for the rules, 32 MiB when zero; beyond it they are cut
	MostOpen int            // maximum open connections of apps, 1,024 when zero: more wait
	Roots    *x509.CertPool // authorities of servers; nil: the system's

	Way // the initial way
	// Bypasses reports whether an entry of Bypass applies to a client; nil: to all.
	Bypasses func(c flow.Client, host string) bool
	Anywhere bool // allows listening on other addresses than loopback
	// Wait waits for the duration, and returns false if the context ends first; nil uses the clock. It is used for delays of mocks and
	// throttles.
	Wait func(context.Context, time.Duration) bool
	Log  *slog.Logger
}

const (
	mostFile   = 32 << 20
	mostLook   = 10 << 20
	mostSeen   = 32 << 20
	mostOpen   = 1024
	mostHead   = 256 << 10
	idleApp    = 2 * time.Minute
	idleServer = 90 * time.Second
	headIn     = time.Minute
	expectIn   = time.Second
	greetIn    = 30 * time.Second // a TLS handshake, and a connection to a server
)

// Proxy is one proxy. It serves any number of listeners until it is closed.
type Proxy struct {
	Options
	leaves *leaves
	tls    *tls.Config
	dialer net.Dialer
	outer  *http.Server // serves apps as a proxy
	inner  *http.Server // serves apps inside tunnels, in the name of their server
	inside *handover    // the listener of inner
	route  atomic.Pointer[route]
	quiet  time.Duration

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	ports  sync.Map // of our listeners, uint16
	open   openConns
	counts counts

	looks     budget        // for bodies that the rules read
	unpacking chan struct{} // has an entry for each body being unpacked
}

// New makes a proxy; Serve starts it.
func New(o Options) (*Proxy, error) {
	if o.MostFile == 0 {
		o.MostFile = mostFile
	}
	if o.MostLook == 0 {
		o.MostLook = mostLook
	}
	if o.MostSeen == 0 {
		o.MostSeen = mostSeen
	}
	if o.MostOpen == 0 {
		o.MostOpen = mostOpen
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == nil {
		o.Wait = waitByClock
	}
	if o.Bodies != "" {
		if err := os.MkdirAll(o.Bodies, 0o700); err != nil {
			return nil, err
		}
	}
	leaves, err := newLeaves(o.CA)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Options: o, leaves: leaves, inside: newHandover(), quiet: quiet, open: newOpenConns(o.MostOpen)}
	p.looks.left.Store(o.MostSeen)
	p.unpacking = make(chan struct{}, mostUnpacking)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.dialer = net.Dialer{Timeout: greetIn, ControlContext: p.refuseOwn}
	if err := p.Set(o.Way); err != nil {
		return nil, err
	}
	p.tls = &tls.Config{NextProtos: []string{"h2", "http/1.1"}, GetCertificate: p.certificate}
	p.outer = p.server(http.HandlerFunc(p.serveOuter))
	p.inner = p.server(http.HandlerFunc(p.serveInner))
	p.inner.Protocols = new(http.Protocols)
	p.inner.Protocols.SetHTTP1(true)
	p.inner.Protocols.SetHTTP2(true)
	p.inner.Protocols.SetUnencryptedHTTP2(true)
	p.wg.Go(func() { _ = p.inner.Serve(p.inside) }) // until Close
	return p, nil
}

func (p *Proxy) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           p.counted(h),
		ConnState:         idle,
		MaxHeaderBytes:    mostHead,
		ReadHeaderTimeout: headIn,
		IdleTimeout:       idleApp,
		ErrorLog:          slog.NewLogLogger(p.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, placeKey{}, placeOf(c))
		},
	}
}

// counted lets Close wait for all requests being served.
func (p *Proxy) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.open.enter(&p.wg) {
			panic(http.ErrAbortHandler)
		}
		defer p.wg.Done()
		h.ServeHTTP(w, r)
	})
}

// NotLoopbackError says that a listener can be reached from other machines.
type NotLoopbackError struct{ Address string }

func (e *NotLoopbackError) Error() string {
	return "the proxy would listen on " + e.Address + ", which other machines can reach"
}

// Fault says how to correct it.
func (e *NotLoopbackError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("listen on 127.0.0.1, or allow other machines to use the proxy")
}

// Serve accepts connections until the proxy is closed, and then returns nil.
func (p *Proxy) Serve(l net.Listener) error {
	if at, ok := l.Addr().(*net.TCPAddr); ok {
		if !at.IP.IsLoopback() && !p.Anywhere {
			return errors.Join(&NotLoopbackError{at.String()}, l.Close())
		}
		p.ports.Store(uint16(at.Port), true)
		defer p.ports.Delete(uint16(at.Port))
	}
	err := p.outer.Serve(&door{Listener: l, proxy: p})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all connections and waits until the end of every flow was recorded, or until the context ends.
func (p *Proxy) Close(ctx context.Context) error {
	p.open.close()
	p.cancel()
	err := errors.Join(p.outer.Close(), p.inner.Close())
	p.open.endAll()
	done := make(chan struct{})
	go func() { p.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	p.route.Load().closeIdle()
	return err
}

// Figures are the proxy's counters.
type Figures struct {
	Open     int              `json:"open"`     // connections of apps now
	Accepted int64            `json:"accepted"` // since the start
	Requests int64            `json:"requests"`
	Bypassed map[string]int64 `json:"bypassed,omitempty"` // connections that were forwarded unopened, by host
}

// Figures gives the current counters.
func (p *Proxy) Figures() Figures {
	f := Figures{Requests: p.counts.requests.Load(), Bypassed: p.counts.bypassedHosts()}
	f.Open, f.Accepted = p.open.count()
	return f
}

// certificate is called during a handshake.
func (p *Proxy) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := hello.ServerName
	t, ok := hello.Conn.(*tunnel)
	if !ok {
		return nil, errors.New("a handshake outside of a tunnel")
	}
	cert, err := p.leaves.of(cmp.Or(name, t.host))
	t.certified.Store(err == nil)
	return cert, err
}
