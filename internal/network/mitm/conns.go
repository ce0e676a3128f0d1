package mitm

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"ios-agent/internal/network/flow"
)

// place is where a request came from: its connection, who is at the other end, and what that one believes to speak with.
type place struct {
	conn   *appConn // the connection itself, without TLS; nil for what we repeat ourselves
	client func() flow.Client
	target string    // host:port of the CONNECT that this is inside; empty outside
	tls    *flow.TLS // nil for plain text
}

type placeKey struct{}

func placeFrom(ctx context.Context) *place { return ctx.Value(placeKey{}).(*place) }

// placeOf finds the place that our own listeners gave a connection.
func placeOf(c net.Conn) *place {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(interface{ at() *place }).at()
}

// door accepts connections of apps: only so many at once, each with its client looked up once.
type door struct {
	net.Listener
	proxy *Proxy
}

func (d *door) Accept() (net.Conn, error) {
	p := d.proxy
	if !p.open.wait(p.ctx) {
		return nil, http.ErrServerClosed
	}
	raw, err := d.Listener.Accept()
	if err != nil {
		p.open.leave()
		return nil, err
	}
	c := &appConn{Conn: raw, open: &p.open}
	c.place = place{conn: c, client: p.whose(raw)}
	p.open.add(c)
	return c, nil
}

// whose begins to look a client up, at once: who ends a connection soon would be gone later. The function waits for what was found.
func (p *Proxy) whose(c net.Conn) func() flow.Client {
	address := c.RemoteAddr().String()
	if p.Whose == nil || !p.open.enter(&p.wg) {
		return func() flow.Client { return flow.Client{Address: address} }
	}
	found := make(chan struct{})
	var client flow.Client
	go func() {
		defer p.wg.Done()
		defer close(found)
		client = p.Whose(c)
		if client.Address == "" {
			client.Address = address
		}
	}()
	return func() flow.Client {
		<-found
		return client
	}
}

// appConn is a connection that was accepted.
type appConn struct {
	net.Conn
	place place
	open  *openConns
	once  sync.Once
	// greeted is the handshake inside its tunnel, until the app asks something.
	greeted atomic.Pointer[greeting]
}

func (c *appConn) at() *place { return &c.place }

func (c *appConn) Close() error {
	c.once.Do(func() {
		c.open.remove(c)
		c.greeted.Swap(nil).leave()
	})
	return c.Conn.Close()
}

// reset ends the connection in a way that the app notices: nothing more arrives, not even an end.
func (c *appConn) reset() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it, it would be an orderly end
	}
	_ = c.Close()
}

// CloseWrite lets a tunnel pass on that one side has said all.
func (c *appConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// tunnel is a connection after its CONNECT: what was read too early comes first.
type tunnel struct {
	net.Conn
	early     []byte
	host      string
	place     place
	certified atomic.Bool // it was shown our certificate
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

// CloseWrite is the connection's.
func (t *tunnel) CloseWrite() error { return closeWrite(t.Conn) }

// openConns are the connections of apps.
type openConns struct {
	slots chan struct{}

	mu       sync.Mutex
	closed   bool
	conns    map[net.Conn]struct{}
	accepted int64
}

func newOpenConns(most int) openConns {
	return openConns{slots: make(chan struct{}, most), conns: map[net.Conn]struct{}{}}
}

func (o *openConns) wait(ctx context.Context) bool {
	select {
	case o.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (o *openConns) leave() { <-o.slots }

func (o *openConns) add(c net.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conns[c] = struct{}{}
	o.accepted++
}

func (o *openConns) remove(c net.Conn) {
	o.mu.Lock()
	delete(o.conns, c)
	o.mu.Unlock()
	o.leave()
}

// enter counts one more that is being served, unless the proxy is closed.
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
	all := make([]net.Conn, 0, len(o.conns))
	for c := range o.conns {
		all = append(all, c)
	}
	o.mu.Unlock()
	for _, c := range all {
		_ = c.Close() // what matters is that it ends
	}
}

func (o *openConns) count() (open int, accepted int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.conns), o.accepted
}

// handover is a listener whose connections come from inside: what a CONNECT led to.
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

// Accept waits for the next one.
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

// Addr is of no use to anybody.
func (h *handover) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// mostBypassed bounds the hosts that are counted by name.
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
