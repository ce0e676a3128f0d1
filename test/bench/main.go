// Command bench measures what ios-agent costs: to start, to list its tools, to keep in memory, to call. A figure is
// compared with something measured in the same run wherever it can be, and is printed as
//
//	name  value  bound  ok|over
//
// with two spaces or more between the columns. It exits with 1 when a ratio, a size or a count is over its bound;
// times are only told, because a slow machine is not a bug.
//
//	go run ./test/bench               our own figures
//	go run ./test/bench -peers DIR    us beside the servers that scripts/bench-peers put into DIR
//	go run ./test/bench -mitmdump P   our proxy beside that mitmdump and a bare goproxy
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	mitmdump := flag.String("mitmdump", "", "path of mitmdump, to measure our proxy beside it; empty leaves it out")
	peers := flag.String("peers", "", "folder with the node_modules of the peers; empty measures only ourselves")
	flag.Parse()
	if err := run(ctx, *peers, *mitmdump, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, peers, mitmdump string, out io.Writer) (err error) {
	l, err := openLab(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if peers != "" {
		err = compare(ctx, l, peers, out)
	}
	if mitmdump != "" {
		err = errors.Join(err, wirePeers(ctx, l, mitmdump, out))
	}
	if peers != "" || mitmdump != "" {
		return err
	}
	return measure(ctx, l, out)
}

// measure runs every measurement in an order in which none warms up the next by accident.
func measure(ctx context.Context, l *lab, out io.Writer) error {
	var broken []error
	for _, m := range []func(context.Context, *lab) ([]figure, error){
		without, starting, listing, calling, waking, remembering, reading, tapping, handling, hearing, linking, pooling, aging, crowding,
		gathering, telling, wiring, flowing, passing, windowing, fronting, auditing,
	} {
		figures, err := m(ctx, l)
		for _, f := range figures {
			fmt.Fprintln(out, f)
			if f.breaks() {
				broken = append(broken, fmt.Errorf("over its bound: %s", f.name))
			}
		}
		if err != nil {
			return errors.Join(append(broken, err)...)
		}
	}
	return errors.Join(broken...)
}
