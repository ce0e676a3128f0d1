// Package single runs a virtual server inside the process that it stands for, and ends it together with the process. Serve runs the server
// over one connection that was handed to the process, Until on a listener.
package single

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Until serves connections of l until ctx ends or gone is closed, and returns the reason: the error of ctx, or dead. It closes l, and
// returns after every connection is closed.
func Until(ctx context.Context, gone <-chan struct{}, dead error, l net.Listener, h http.Handler, p *http.Protocols) error {
	server := &http.Server{Handler: h, Protocols: p, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case <-gone:
		err = dead
	case err = <-served:
		return err
	}
	server.Close()
	<-served
	return err
}

// Serve lets a server of listeners serve the single connection conn. It closes conn, also if the server ended before it accepted the
// connection.
func Serve(conn net.Conn, server func(net.Listener) error) error {
	defer conn.Close()
	return server(listen(conn))
}

// listen is a listener that accepts only conn, and ends when conn is closed.
func listen(conn net.Conn) net.Listener {
	l := &listener{conn: make(chan net.Conn, 1), addr: conn.LocalAddr(), end: make(chan struct{})}
	l.conn <- &noticed{Conn: conn, closed: sync.OnceFunc(func() { l.Close() })}
	return l
}

type listener struct {
	conn chan net.Conn
	addr net.Addr
	end  chan struct{}
	shut sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.end:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.shut.Do(func() { close(l.end) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.addr }

// noticed is a connection that reports its end.
type noticed struct {
	net.Conn
	closed func()
}

func (n *noticed) Close() error {
	defer n.closed()
	return n.Conn.Close()
}
