package daemon

import (
	"net"
	"sync"

	"ios-agent/internal/fault"
)

// The limits of a daemon. Each call and each connection holds memory, and a connection holds a file of the process.
const (
	mostCalls       = 1000
	mostConnections = 512 // over TCP; the socket is for the user's own programs
)

func tooManyCalls() error {
	return fault.New(fault.TooMany, "call limit reached: %d are running", mostCalls).WithDispatch(fault.NotDispatched)
}

// limited accepts a maximum number of connections; more wait until one is closed.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	close  sync.Once
}

func limit(l net.Listener, most int) *limited {
	return &limited{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends the listener.
func (l *limited) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed is a connection that has a place.
type placed struct {
	net.Conn
	leave func()
}

// Close gives the place back.
func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
