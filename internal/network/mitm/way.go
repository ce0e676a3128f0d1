package mitm

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"

	"ios-agent/internal/fault"
)

// Way says where requests go, and which servers the proxy trusts. It can be changed while the proxy runs.
type Way struct {
	Bypass   []string // hosts whose traffic is forwarded unopened: shop.example, *.shop.example, shop.example:8443
	Upstream *url.URL // proxy to forward to (http or https, with credentials if required); servers on this machine are reached directly
	// Authorities are certificates in PEM that servers may use in addition to the system's authorities.
	Authorities string
	Insecure    []string // hosts, as in Bypass, whose certificates are not verified
}

// route is a Way that is ready for use.
type route struct {
	Way
	roots *x509.CertPool
	// A different way gets new transports, because existing connections would not be checked again. The requests of an HTTP/1.1 app are
	// sent in HTTP/1.1; the requests of an HTTP/2 app in the server's preferred version.
	old, new transports
}

// transports come in pairs: strict verifies the server's certificate, lax does not.
type transports struct{ strict, lax *http.Transport }

func (t transports) all() []*http.Transport { return []*http.Transport{t.strict, t.lax} }

// same reports whether connections of one way may be used for another.
func (w Way) same(as Way) bool {
	return sameURL(w.Upstream, as.Upstream) && w.Authorities == as.Authorities && slices.Equal(w.Insecure, as.Insecure)
}

func sameURL(a, b *url.URL) bool {
	return a == b || a != nil && b != nil && a.String() == b.String()
}

// ErrNoCertificate says that a text contains no certificate in PEM.
var ErrNoCertificate = errors.New("the file contains no certificate in PEM")

// Set replaces the way. Open connections of apps continue.
func (p *Proxy) Set(w Way) error {
	if w.Upstream != nil && (w.Upstream.Scheme != "http" && w.Upstream.Scheme != "https" || w.Upstream.Host == "") {
		return fault.New(fault.InvalidInput, "invalid upstream proxy %s", w.Upstream.Redacted()).
			WithHint("write http://HOST:PORT or https://HOST:PORT, with NAME:PASSWORD@ before the host if required")
	}
	for _, pattern := range slices.Concat(w.Bypass, w.Insecure) {
		if err := checkBypass(pattern); err != nil {
			return err
		}
	}
	next, old := &route{Way: w}, p.route.Load()
	if old != nil && old.same(w) {
		next.roots, next.old, next.new = old.roots, old.old, old.new
	} else {
		var err error
		if next.roots, err = p.rootsOf(w.Authorities); err != nil {
			return err
		}
		p.dials(next)
	}
	p.route.Store(next)
	if old != nil && !old.same(w) {
		old.closeIdle()
	}
	return nil
}

// rootsOf are the authorities for servers; nil: the system's.
func (p *Proxy) rootsOf(authorities string) (*x509.CertPool, error) {
	if authorities == "" {
		return p.Roots, nil
	}
	var roots *x509.CertPool
	if p.Roots != nil {
		roots = p.Roots.Clone()
	} else {
		var err error
		if roots, err = x509.SystemCertPool(); err != nil {
			return nil, err
		}
	}
	if !roots.AppendCertsFromPEM([]byte(authorities)) {
		return nil, fault.New(fault.InvalidInput, "cannot use the authority of servers: %w", ErrNoCertificate).
			WithHint("name a file with a certificate in PEM, which begins with BEGIN CERTIFICATE")
	}
	return roots, nil
}

func (r *route) closeIdle() {
	for _, t := range slices.Concat(r.old.all(), r.new.all()) {
		t.CloseIdleConnections()
	}
}

// dials makes the transports of a route.
func (p *Proxy) dials(r *route) {
	for _, of := range []struct {
		at  **http.Transport
		lax bool
		old bool
	}{{&r.old.strict, false, true}, {&r.old.lax, true, true}, {&r.new.strict, false, false}, {&r.new.lax, true, false}} {
		config := &tls.Config{RootCAs: r.roots, InsecureSkipVerify: of.lax}
		if of.old {
			*of.at = p.oldTransport(r, config)
		} else {
			*of.at = p.newTransport(r, config)
		}
	}
}

// newTransport speaks HTTP/2 with servers that support it.
func (p *Proxy) newTransport(r *route, config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                 func(q *http.Request) (*url.URL, error) { return byWayOf(r.Upstream, q.URL.Hostname()), nil },
		DialContext:           p.dialer.DialContext,
		TLSClientConfig:       config,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // the app decides which codings it accepts
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       idleServer,
		TLSHandshakeTimeout:   greetIn,
		ExpectContinueTimeout: expectIn,
		OnProxyConnectResponse: func(_ context.Context, at *url.URL, _ *http.Request, answer *http.Response) error {
			return upstreamAnswer(at, answer)
		},
	}
}

// oldTransport speaks HTTP/1.1, and sends headers in the app's order. For that it dials itself, also through the upstream proxy:
// otherwise the transport would put TLS on top of the ordering connection.
func (p *Proxy) oldTransport(r *route, config *tls.Config) *http.Transport {
	t := p.newTransport(r, config)
	config.NextProtos, t.ForceAttemptHTTP2 = []string{"http/1.1"}, false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.Proxy = func(q *http.Request) (*url.URL, error) {
		if q.URL.Scheme == "https" {
			return nil, nil
		}
		return byWayOf(r.Upstream, q.URL.Hostname()), nil
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := p.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &orderly{Conn: conn}, nil
	}
	t.DialTLSContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		conn, err := p.dialBy(ctx, r, address)
		if err != nil {
			return nil, err
		}
		secure := tls.Client(conn, named(config, address))
		if err := handshake(ctx, secure); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return &orderly{Conn: secure}, nil
	}
	return t
}

// named is a configuration for one server.
func named(config *tls.Config, address string) *tls.Config {
	own := config.Clone()
	own.ServerName, _, _ = net.SplitHostPort(address)
	return own
}

// handshake greets a server, and reports the times to the request's trace.
func handshake(ctx context.Context, c *tls.Conn) error {
	trace := cmp.Or(httptrace.ContextClientTrace(ctx), &httptrace.ClientTrace{})
	if trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	within, cancel := context.WithTimeout(ctx, greetIn)
	defer cancel()
	err := c.HandshakeContext(within)
	if trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(c.ConnectionState(), err)
	}
	return err
}

// transport is the transport for a request, by the app's version of HTTP.
func (r *route) transport(version int, to *url.URL) *http.Transport {
	of := r.new
	if version == 1 {
		of = r.old
	}
	_, port, err := net.SplitHostPort(hostPort(to))
	if err == nil && to.Scheme == "https" && slices.ContainsFunc(r.Insecure, func(pattern string) bool {
		return fitsHost(pattern, to.Hostname(), port)
	}) {
		return of.lax
	}
	return of.strict
}
