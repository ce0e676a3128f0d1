// Package mitm is the proxy itself: it stands between apps and servers, opens TLS with certificates of its own authority, speaks
// HTTP/1.1 and HTTP/2 to both sides, and passes bodies on as they come. It asks flow.Rules what becomes of a request and tells
// flow.Teller what happened. It knows neither patterns nor stores, and starts no program.
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

// Options are what a proxy needs. CA, Rules and Tell must be there.
type Options struct {
	CA    *CA
	Rules flow.Rules
	Tell  flow.Teller

	// Whose says who is at the other end of a connection. It is asked once for each, when it is accepted, and may take its time: only
	// the first flow of that connection waits for it. Nil leaves all but the address unknown.
	Whose func(net.Conn) flow.Client
	// Own says whether a port of this machine belongs to ios-agent. What goes there is refused. The proxy's own ports always are.
	Own func(netip.AddrPort) bool

	Bodies   string         // the folder of bodies; empty keeps none in files
	MostFile int64          // the bytes of one body that are kept in its file, 32 MiB when zero
	MostLook int64          // the bytes of a body that rules are shown, 10 MiB when zero
	MostSeen int64          // the bytes of all bodies that rules look at, 32 MiB when zero; what has no room is shown cut
	MostOpen int            // connections of apps at once, 1,024 when zero: more wait
	Roots    *x509.CertPool // which servers are believed; nil is as the system does

	Way // at first
	// Bypasses says whether one of Bypass counts for a client; nil: for all.
	Bypasses func(c flow.Client, host string) bool
	Anywhere bool // it may listen elsewhere than on loopback
	// Wait waits so long, and says whether the context goes on; nil waits by the clock. Delays of mocks and throttles are waited so.
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
	outer  *http.Server // speaks with apps as a proxy
	inner  *http.Server // speaks with apps as the server they asked for
	inside *handover    // how inner gets its connections
	route  atomic.Pointer[route]
	quiet  time.Duration

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	ports  sync.Map // of our listeners, uint16
	open   openConns
	counts counts

	looks     budget        // of the bodies that rules look at
	unpacking chan struct{} // has an entry for each body that is being unpacked
}

// New makes a proxy that serves nobody yet.
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

// counted lets Close wait for whatever is being served.
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
	return "the proxy would listen on " + e.Address + ", where other machines can reach it"
}

// Fault says what to do about it.
func (e *NotLoopbackError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("listen on 127.0.0.1, or say that other machines may use the proxy")
}

// Serve takes connections until the proxy is closed, and returns nil then.
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

// Close ends all connections and waits until every flow was told how it ended, or until the context ends.
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

// Figures are what went by.
type Figures struct {
	Open     int              `json:"open"`     // connections of apps now
	Accepted int64            `json:"accepted"` // since the start
	Requests int64            `json:"requests"`
	Bypassed map[string]int64 `json:"bypassed,omitempty"` // connections that were passed on unopened, by host
}

// Figures counts.
func (p *Proxy) Figures() Figures {
	f := Figures{Requests: p.counts.requests.Load(), Bypassed: p.counts.bypassedHosts()}
	f.Open, f.Accepted = p.open.count()
	return f
}

// certificate is asked in the middle of a handshake.
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
