package daemon

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// onceConn hands an open connection to an HTTP transport, once. A transport that asks for a second one
// is about to send the call again, and a call must not be sent twice.
func onceConn(conn net.Conn) func(context.Context, string, string) (net.Conn, error) {
	var used atomic.Bool
	return func(context.Context, string, string) (net.Conn, error) {
		if used.Swap(true) {
			return nil, errors.New("a call is sent once")
		}
		return conn, nil
	}
}
