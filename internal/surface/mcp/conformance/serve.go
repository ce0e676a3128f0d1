package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"ios-agent/internal/fault"
)

// Serve serves the fixtures until ctx ends. It asks for no key, because the suite sends none, and therefore listens on
// loopback only. The first line it writes to out is the URL.
func Serve(ctx context.Context, listen string, stateless bool, out io.Writer) error {
	address, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return fault.New(fault.InvalidInput, "listen: %w", err)
	}
	if !address.IP.IsLoopback() {
		return fault.New(fault.Forbidden, "%s can be reached from other machines, and fixtures are served without a key", listen)
	}
	l, err := net.ListenTCP("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/mcp\n", l.Addr())
	return serve(ctx, l, Handler(stateless))
}

// serve ends at once when ctx does: the suite is gone by then, and nobody else waits for an answer.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
