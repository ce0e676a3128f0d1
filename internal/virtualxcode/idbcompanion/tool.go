package idbcompanion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"ios-agent/internal/virtualxcode/tool"
)

// Served is a companion that is registered with the service.
type Served interface {
	// Carry copies bytes between a client and the companion.
	Carry(ctx context.Context, client net.Conn)
	// Hold waits until the companion must end.
	Hold() error
	Close() error
}

// Tool is the program idb_companion.
type Tool struct {
	tool.Call
	// Register registers a companion for a simulator.
	Register func(ctx context.Context, udid string) (Served, error)
}

// exitFailed is the exit status of an error.
const exitFailed = 1

const usage = "Usage:\n  Modes of operation, only one of these may be specified:\n" +
	"    --udid UDID                Launches a companion server.\n" +
	"    --version                  Writes companion version information to stdout."

// Run plays one command line. Like the real program it ignores unknown options.
func (t Tool) Run(ctx context.Context) int {
	given := map[string]string{}
	for i, word := range t.Args {
		if name, is := strings.CutPrefix(word, "--"); is {
			given[name] = strings.Join(t.Args[i+1:min(i+2, len(t.Args))], "")
		}
	}
	if _, asked := given["version"]; asked {
		t.print(map[string]any{"build_date": "Aug 22 2026", "build_time": "11:32:12"})
		return 0
	}
	if _, asked := given["help"]; asked {
		fmt.Fprintln(t.Stdout, usage)
		return 0
	}
	if given["udid"] == "" {
		fmt.Fprintf(t.Stderr, "You must specify at least one 'Mode of operation'\n\n%s\n", usage)
		return exitFailed
	}
	if err := t.serve(ctx, given); err != nil {
		fmt.Fprintln(t.Stderr, err)
		return exitFailed
	}
	return 0
}

func (t Tool) print(v any) {
	out, _ := json.Marshal(v) // words and numbers of options
	fmt.Fprintf(t.Stdout, "%s\n", out)
}

// serve serves until an interrupt or until the companion must end.
func (t Tool) serve(ctx context.Context, given map[string]string) error {
	c, err := t.Register(ctx, given["udid"])
	if err != nil {
		return err
	}
	defer c.Close()
	l, about, err := t.listen(given)
	if err != nil {
		return err
	}
	defer l.Close()
	t.print(about)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.Carry(ctx, conn) // the listener ends with the companion's registration
		}
	}()
	held := make(chan error, 1)
	go func() { held <- c.Hold() }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-held:
		return errors.Join(ErrGone, err)
	}
}

// usualPort is the default port.
const usualPort = "10882"

// listen listens on a socket, or on a port of this machine. The real companion listens on all addresses.
func (t Tool) listen(given map[string]string) (net.Listener, map[string]any, error) {
	if path := given["grpc-domain-sock"]; path != "" {
		path = t.Path(path)
		if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
			_ = os.Remove(path) // a stale socket
		}
		l, err := net.Listen("unix", path)
		return l, map[string]any{"grpc_path": path}, err
	}
	port := given["grpc-port"]
	if port == "" {
		port = usualPort
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, nil, err
	}
	number := l.Addr().(*net.TCPAddr).Port
	return l, map[string]any{"grpc_swift_port": number, "grpc_port": number}, nil
}
