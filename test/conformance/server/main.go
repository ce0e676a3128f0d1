// Command server is an MCP server with the tools, prompts and resources that the official conformance suite calls by name. It uses the
// server, the transport and the mapping of results of the product, so that a test of the suite also proves the product.
// scripts/mcp-conformance builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	at := flag.String("listen", "127.0.0.1:0", "loopback address")
	stateless := flag.Bool("stateless", false, "as protocol 2026-07-28 wants it")
	flag.Parse()
	if err := listen(ctx, *at, *stateless, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// errReachable says that other machines could reach the server.
var errReachable = errors.New("the address can be reached from other machines, and fixtures are served without a key")

// listen serves the fixtures until ctx ends. It asks for no key, because the suite sends none, and therefore listens on
// loopback only. The first line it writes to out is the URL.
func listen(ctx context.Context, at string, stateless bool, out io.Writer) error {
	address, err := net.ResolveTCPAddr("tcp", at)
	if err != nil {
		return err
	}
	if !address.IP.IsLoopback() {
		return fmt.Errorf("%s: %w", at, errReachable)
	}
	l, err := net.ListenTCP("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/mcp\n", l.Addr())
	return serve(ctx, l, newHandler(stateless))
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
