package webdriver

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// counted is a connection that knows whether something was written to it.
type counted struct {
	net.Conn
	writes atomic.Int64
}

// Write counts before it writes, so that one that is under way counts; one that wrote nothing does not.
func (c *counted) Write(b []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(b)
	if n == 0 && err != nil {
		c.writes.Add(-1)
	}
	return n, err
}

// departure tells whether a byte of a request has left. net/http sends a request that acts again by itself only if none has.
type departure struct {
	mu     sync.Mutex
	conn   *counted
	before int64
	left   bool
}

// watch is a context under which a request is sent that the departure is about.
func (d *departure) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) { d.got(got.Conn) },
	})
}

// got notes the connection that the request goes out on.
func (d *departure) got(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note()
	d.conn, _ = conn.(*counted)
	if d.conn == nil { // with TLS it is not ours: nothing is known, so it may have left
		d.left = true
		return
	}
	d.before = d.conn.writes.Load()
}

func (d *departure) note() {
	if d.conn != nil && d.conn.writes.Load() > d.before {
		d.left = true
	}
}

func (d *departure) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note()
	return d.left
}
