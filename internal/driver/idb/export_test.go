package idb

import (
	"context"
	"net"
)

// Through has the driver reach companions by a function.
func (d *Driver) Through(dial func(context.Context) (net.Conn, error)) *Driver {
	d.attach = func(at string) (*companion, error) { return of(dialing("named.example", dial), at), nil }
	return d
}
