package mitm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/network/flow"
)

// quiet is how long an app may send nothing after its CONNECT before the proxy checks whether the server speaks first.
const quiet = 3 * time.Second

// connect serves a CONNECT: it detects the protocol inside, and opens the tunnel if it is HTTP.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	at, target := placeFrom(r.Context()), r.Host
	at.heads.take(r) // the bytes that follow belong to the tunnel
	host, port, err := net.SplitHostPort(target)
	if err != nil || host == "" {
		http.Error(w, "ios-agent proxy: CONNECT wants HOST:PORT, not "+target, http.StatusBadRequest)
		return
	}
	if p.namesOwn(target) {
		p.tellTunnel(at, target, flow.Trouble{Kind: flow.OwnPort, Error: target + ": " + errOwnPort.Error()})
		http.Error(w, "ios-agent proxy: "+errOwnPort.Error(), http.StatusForbidden)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "ios-agent proxy: CONNECT needs HTTP/1.1", http.StatusBadRequest)
		return
	}
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	t := &tunnel{Conn: conn, early: bytes.Clone(early), host: host, place: *at}
	t.place.target, t.place.heads = target, nil
	_ = conn.SetDeadline(time.Time{})
	unseen := p.bypasses(at, host, port)
	if unseen {
		p.counts.bypass(host) // counted before the app gets its answer
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	if unseen {
		p.pipe(t, nil, nil)
		return
	}
	p.lookInside(t, port)
}

// lookInside reads the first bytes inside a tunnel and passes it to the right handler.
func (p *Proxy) lookInside(t *tunnel, port string) {
	server, err := p.firstBytes(t, port)
	switch {
	case err != nil:
		_ = t.Close()
	case server != nil: // the server spoke first: not HTTP
		p.tellPiped(t, server)
	case t.early[0] == 0x16:
		p.openTLS(t, port)
	case looksLikeHTTP(t.early):
		if !p.inside.give(listen(t, &t.place)) {
			_ = t.Close()
		}
	default:
		p.tellPiped(t, nil)
	}
}

// firstBytes waits until the app has sent enough to tell HTTP from other protocols. If the app sends nothing, the server may speak first:
// then firstBytes connects to the server, and returns the connection if the server does.
func (p *Proxy) firstBytes(t *tunnel, port string) (server net.Conn, err error) {
	wait := p.quiet
	if port == "443" {
		wait = idleApp // browsers open connections there before they need them
	}
	for len(t.early) == 0 || t.early[0] != 0x16 && mayBecomeHTTP(t.early) {
		_ = t.Conn.SetReadDeadline(time.Now().Add(wait))
		err := t.readEarly()
		if errors.Is(err, os.ErrDeadlineExceeded) && len(t.early) == 0 && port != "443" {
			server, err = p.whoSpeaksFirst(t)
			if server != nil || err != nil {
				return server, err
			}
			continue
		}
		if err != nil && len(t.early) == 0 {
			return nil, err
		}
		if err != nil {
			break // decide by the bytes so far
		}
	}
	return nil, t.Conn.SetReadDeadline(time.Time{})
}

// readEarly reads more bytes and keeps them for the next reader.
func (t *tunnel) readEarly() error {
	more := make([]byte, 4096)
	n, err := t.Conn.Read(more)
	t.early = append(t.early, more[:n]...)
	if n > 0 {
		return nil
	}
	return err
}

// whoSpeaksFirst connects to the server and waits for either side. It returns the server's connection if the server was first.
func (p *Proxy) whoSpeaksFirst(t *tunnel) (net.Conn, error) {
	server, err := p.dial(p.ctx, t.place.target)
	if err != nil {
		kind, text, _ := p.explain(p.ctx, err, t.place.target)
		p.tellTunnel(&t.place, t.place.target, flow.Trouble{Kind: kind, Error: text})
		return nil, err
	}
	_ = t.Conn.SetReadDeadline(time.Time{})
	first := make(chan []byte, 1)
	go func() {
		b := make([]byte, 4096)
		n, _ := server.Read(b)
		first <- b[:n]
		_ = t.Conn.SetReadDeadline(time.Unix(1, 0)) // ends the read from the app below
	}()
	err = t.readEarly()
	if len(t.early) > 0 {
		err := server.Close()
		<-first
		return nil, err
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		_ = server.Close()
		<-first
		return nil, err
	}
	_ = t.Conn.SetReadDeadline(time.Time{})
	return &tunnel{Conn: server, early: <-first}, nil
}

// mayBecomeHTTP reports whether the bytes may be the beginning of a request line, but are too few to be sure.
func mayBecomeHTTP(b []byte) bool {
	return len(b) < 24 && !bytes.ContainsFunc(b, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// looksLikeHTTP requires a method in capital letters, a space, and a path, a star or an absolute URL.
func looksLikeHTTP(b []byte) bool {
	method, rest, ok := bytes.Cut(b, []byte(" "))
	return ok && len(method) > 0 && len(method) < 24 && !bytes.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' }) &&
		(len(rest) == 0 || rest[0] == '/' || rest[0] == '*' || rest[0] == 'h')
}

// openTLS does the handshake with an app in the name of its server.
func (p *Proxy) openTLS(t *tunnel, port string) {
	name, protocols, ok := t.hello()
	if name != "" && p.bypasses(&t.place, name, port) {
		p.counts.bypass(name)
		p.pipe(t, nil, nil)
		return
	}
	// Not TLS after all, or TLS for something that is not HTTP.
	if !ok || len(protocols) > 0 && !slices.ContainsFunc(protocols, isHTTP) {
		p.tellPiped(t, nil)
		return
	}
	secure := tls.Server(t, p.tls)
	ctx, cancel := context.WithTimeout(p.ctx, greetIn)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		p.refused(t, name, err)
		_ = t.Close()
		return
	}
	state := secure.ConnectionState()
	t.place.tls = &flow.TLS{Version: tls.VersionName(state.Version), Name: name}
	if t.place.conn != nil {
		t.place.conn.greeted.Store(&greeting{proxy: p, place: &t.place, at: time.Now()})
	}
	var inner net.Conn = secure
	if state.NegotiatedProtocol != "h2" { // which net/http finds by the type of the connection
		inner = listen(secure, &t.place)
	}
	if !p.inside.give(inner) {
		_ = t.Close()
	}
}

// isHTTP reports whether an ALPN name is HTTP.
func isHTTP(protocol string) bool { return protocol == "h2" || strings.HasPrefix(protocol, "http/1.") }

// refused records a handshake that an app ended, with an alert or by closing the connection after it saw our certificate.
func (p *Proxy) refused(t *tunnel, name string, err error) {
	var alert *net.OpError
	told := errors.As(err, &alert) && alert.Op == "remote error"
	left := t.certified.Load() && !errors.Is(err, context.DeadlineExceeded)
	if p.ctx.Err() != nil || !told && !left {
		return
	}
	if name == "" {
		name = t.host
	}
	at := t.place
	at.tls = &flow.TLS{Name: name}
	p.tellTunnel(&at, t.place.target, flow.Trouble{Kind: flow.AppRefused, Error: "tls: the app refused our certificate for " + name})
}

// hello reads the first message of a handshake and keeps it for the next reader.
func (t *tunnel) hello() (name string, protocols []string, ok bool) {
	heard := &listenOnly{Conn: t}
	_ = tls.Server(heard, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name, protocols, ok = h.ServerName, h.SupportedProtos, true
		return nil, errHeard
	}}).Handshake() // the handshake always ends with errHeard or another error
	t.early = append(heard.read, t.early...)
	return name, protocols, ok
}

var errHeard = errors.New("heard")

// listenOnly records what it reads and writes nothing.
type listenOnly struct {
	net.Conn
	read []byte
}

func (l *listenOnly) Read(b []byte) (int, error) {
	_ = l.SetReadDeadline(time.Now().Add(greetIn))
	n, err := l.Conn.Read(b)
	_ = l.SetReadDeadline(time.Time{})
	l.read = append(l.read, b[:n]...)
	return n, err
}

func (l *listenOnly) Write(b []byte) (int, error) { return len(b), nil }
