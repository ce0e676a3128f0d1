package mitm

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ios-agent/internal/network/flow"
)

// place is the origin of a request: its connection, the client at the other end, and the server that the client addresses.
type place struct {
	conn   *appConn // the connection without TLS; nil for a replayed request
	client func() flow.Client
	target string    // host:port of the CONNECT that this is inside; empty outside
	tls    *flow.TLS // nil for plain text
	heads  *heads    // of its requests in HTTP/1.1; nil: the heads are unknown
}

type placeKey struct{}

func placeFrom(ctx context.Context) *place { return ctx.Value(placeKey{}).(*place) }

// placeOf finds the place that our listeners attached to a connection.
func placeOf(c net.Conn) *place {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(interface{ at() *place }).at()
}

// door accepts connections of apps: a limited number at once. It looks up the client of each once.
type door struct {
	net.Listener
	proxy *Proxy
}

func (d *door) Accept() (net.Conn, error) {
	raw, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p := d.proxy
	c := &appConn{Conn: raw, open: &p.open}
	c.used()
	if !p.open.admit(p.ctx, c) {
		_ = raw.Close()
		return nil, http.ErrServerClosed
	}
	c.place = place{conn: c, client: p.whose(c), heads: &heads{}}
	return c, nil
}

// whose looks a client up at once, because a short-lived client would be gone later. The returned function waits for the result.
func (p *Proxy) whose(c *appConn) func() flow.Client {
	address := c.RemoteAddr().String()
	if p.Whose == nil || !p.open.enter(&p.wg) {
		return func() flow.Client { return flow.Client{Address: address} }
	}
	found := make(chan struct{})
	var client flow.Client
	go func() {
		defer p.wg.Done()
		defer close(found)
		client = p.Whose(c.Conn)
		if client.Address == "" {
			client.Address = address
		}
		if client.Foreign {
			c.turnAway(client.Unknown)
		}
	}()
	return func() flow.Client {
		<-found
		return client
	}
}

// appConn is an accepted connection.
type appConn struct {
	net.Conn
	place place
	open  *openConns
	once  sync.Once
	busy  atomic.Int32 // number of requests being served
	since atomic.Int64 // time of the last use, in nanoseconds
	// greeted is the handshake inside its tunnel, until the app's first request.
	greeted atomic.Pointer[greeting]
}

func (c *appConn) at() *place { return &c.place }

func (c *appConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.place.heads.read(b, n)
	return n, err
}

func (c *appConn) Close() error {
	c.once.Do(func() {
		c.open.remove(c)
		c.greeted.Swap(nil).leave()
	})
	return c.Conn.Close()
}

// used records that the connection is in use now.
func (c *appConn) used() { c.since.Store(time.Now().UnixNano()) }

// serves counts a request until served is called. A replayed request has no connection.
func (c *appConn) serves() (served func()) {
	if c == nil {
		return func() {}
	}
	c.busy.Add(1)
	return func() {
		c.used()
		if c.busy.Add(-1) == 0 {
			c.open.rests()
		}
	}
}

// goodbye is how long a rejected program has to read the reason.
const goodbye = time.Second

// turnAway rejects a program of another user. It is the first write on the connection, because every answer waits for the client lookup.
// It reads what the program sent; otherwise the system would reset the connection before the answer arrives.
func (c *appConn) turnAway(why string) {
	text := "ios-agent proxy: it serves only the user who started it: " + why + "\n"
	defer time.AfterFunc(goodbye, func() { _ = c.Close() }).Stop()
	_, _ = fmt.Fprintf(c.Conn, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(text), text)
	_ = closeWrite(c.Conn)
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.Close()
}

// reset ends the connection without an orderly end, so that the app sees an error.
func (c *appConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without this the end would be orderly
	}
	_ = c.Close()
}

// CloseWrite lets a tunnel pass on that one side has finished writing.
func (c *appConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// tunnel is a connection after its CONNECT; bytes that were read too early come first.
type tunnel struct {
	net.Conn
	early     []byte
	host      string
	place     place
	certified atomic.Bool // the app got our certificate
}

func (t *tunnel) at() *place { return &t.place }

func (t *tunnel) Read(b []byte) (int, error) {
	if len(t.early) > 0 {
		n := copy(b, t.early)
		t.early = t.early[n:]
		return n, nil
	}
	return t.Conn.Read(b)
}

// CloseWrite closes the writing side of the connection.
func (t *tunnel) CloseWrite() error { return closeWrite(t.Conn) }

// openConns are the open connections of apps.
type openConns struct {
	most    int
	waiting atomic.Int32 // number of accepted connections without a place

	mu       sync.Mutex
	closed   bool
	conns    map[*appConn]struct{}
	accepted int64
	changed  chan struct{} // closed when a place may be free
}

func newOpenConns(most int) openConns {
	return openConns{most: most, conns: map[*appConn]struct{}{}, changed: make(chan struct{})}
}

// admit takes a connection in. When all places are taken, it closes the connection that was idle longest; if all are busy, it waits.
func (o *openConns) admit(ctx context.Context, c *appConn) bool {
	o.waiting.Add(1)
	defer o.waiting.Add(-1)
	for {
		o.mu.Lock()
		if len(o.conns) < o.most {
			o.conns[c] = struct{}{}
			o.accepted++
			o.mu.Unlock()
			return true
		}
		idlest, changed := o.idlest(), o.changed
		o.mu.Unlock()
		if idlest != nil {
			idlest.greeted.Store(nil) // the proxy ends it, not the app
			_ = idlest.Close()        // Close frees its place
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// idlest is the connection without a request that was unused longest; nil if all are busy. The caller must hold the mutex.
func (o *openConns) idlest() (idlest *appConn) {
	for c := range o.conns {
		if c.busy.Load() == 0 && (idlest == nil || c.since.Load() < idlest.since.Load()) {
			idlest = c
		}
	}
	return idlest
}

// rests says that a connection is idle, so that admit may close it.
func (o *openConns) rests() {
	if o.waiting.Load() == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tell()
}

// tell wakes the connections that wait for a place. The caller must hold the mutex.
func (o *openConns) tell() {
	close(o.changed)
	o.changed = make(chan struct{})
}

func (o *openConns) remove(c *appConn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.conns, c)
	o.tell()
}

// enter counts one more task, unless the proxy is closed.
func (o *openConns) enter(wg *sync.WaitGroup) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		wg.Add(1)
	}
	return !o.closed
}

func (o *openConns) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

func (o *openConns) endAll() {
	o.mu.Lock()
	all := make([]*appConn, 0, len(o.conns))
	for c := range o.conns {
		all = append(all, c)
	}
	o.mu.Unlock()
	for _, c := range all {
		_ = c.Close() // the error does not matter
	}
}

func (o *openConns) count() (open int, accepted int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.conns), o.accepted
}

// handover is a listener for the connections inside tunnels.
type handover struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func newHandover() *handover {
	return &handover{conns: make(chan net.Conn), ended: make(chan struct{})}
}

func (h *handover) give(c net.Conn) bool {
	select {
	case h.conns <- c:
		return true
	case <-h.ended:
		return false
	}
}

// Accept waits for the next connection.
func (h *handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.ended:
		return nil, http.ErrServerClosed
	}
}

// Close ends Accept.
func (h *handover) Close() error {
	h.once.Do(func() { close(h.ended) })
	return nil
}

// Addr is a placeholder that net.Listener requires.
func (h *handover) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// mostBypassed is the number of hosts that are counted by name.
const mostBypassed = 256

type counts struct {
	requests atomic.Int64

	mu       sync.Mutex
	bypassed map[string]int64
}

func (c *counts) bypass(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bypassed == nil {
		c.bypassed = map[string]int64{}
	}
	if _, known := c.bypassed[host]; !known && len(c.bypassed) >= mostBypassed {
		host = "others"
	}
	c.bypassed[host]++
}

func (c *counts) bypassedHosts() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.bypassed)
}
