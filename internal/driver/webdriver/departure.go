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

// Write counts before it writes, so that a write in progress counts; an empty write does not.
func (c *counted) Write(b []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(b)
	if n == 0 && err != nil {
		c.writes.Add(-1)
	}
	return n, err
}

// departure records whether a byte of a request was sent. net/http repeats an acting request by itself only if none was.
type departure struct {
	mu     sync.Mutex
	conn   *counted
	before int64
	left   bool
}

// watch returns a context for a request that the departure observes.
func (d *departure) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) { d.got(got.Conn) },
	})
}

// got stores the connection that the request uses.
func (d *departure) got(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note()
	d.conn, _ = conn.(*counted)
	if d.conn == nil { // the connection of TLS is not ours: a byte may have been sent
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
