// Command bench measures the cost of ios-agent: its start, its list of tools, its memory, its calls. It compares a figure with a
// measurement of the same run where possible, and prints it as
//
//	name  value  bound  ok|over
//
// with two spaces or more between the columns. It exits with 1 when a size or a count is over its bound, or when a ratio is over its bound
// and stays over it in a second measurement: another program may have been busy the first time. Times are only printed, because a slow
// machine is not a bug.
//
//	go run ./test/bench               our own figures
//	go run ./test/bench -judge sizes  the same; only a size of a file or a count fails, which a busy machine cannot change
//	go run ./test/bench -peers DIR    our server beside the servers that scripts/bench-peers put into DIR
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
	"slices"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	mitmdump := flag.String("mitmdump", "", "path of mitmdump, to measure our proxy beside it; empty leaves it out")
	judged := flag.String("judge", "all", "which figures fail the run when they are over: all, or sizes for counts and sizes of files only")
	peers := flag.String("peers", "", "folder with the node_modules of the peers; empty measures only ourselves")
	flag.Parse()
	if *judged != "all" && *judged != "sizes" {
		fmt.Fprintf(os.Stderr, "bench: -judge is %q; it must be all or sizes\n", *judged)
		os.Exit(2)
	}
	if err := run(ctx, *peers, *mitmdump, *judged == "sizes", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, peers, mitmdump string, sizes bool, out io.Writer) (err error) {
	l, err := openLab(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	l.sizes = sizes
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

// measurement is what gives figures that belong together.
type measurement func(context.Context, *lab) ([]figure, error)

// measure runs every measurement in an order in which none warms up the next by accident.
func measure(ctx context.Context, l *lab, out io.Writer) error {
	return measureAll(ctx, l, out,
		without, starting, listing, calling, waking, remembering, reading, tapping, handling, hearing, linking, pooling, aging, crowding,
		gathering, telling, wiring, flowing, passing, windowing, fronting, auditing)
}

// measureAll measures one after the other, and a ratio that is over its bound again.
func measureAll(ctx context.Context, l *lab, out io.Writer, all ...measurement) error {
	var broken []error
	for _, m := range all {
		ratios, others, err := m.look(ctx, l, out, nil)
		for n := 1; n < looks && err == nil && len(ratios) > 0; n++ {
			err = l.again(func(fresh *lab) (err error) { ratios, _, err = m.look(ctx, fresh, out, ratios); return err })
		}
		for _, name := range append(others, ratios...) {
			broken = append(broken, fmt.Errorf("over its bound: %s", name))
		}
		if err != nil {
			return errors.Join(append(broken, err)...)
		}
	}
	return errors.Join(broken...)
}

// looks is how often a ratio is measured that is over its bound.
const looks = 3

// look measures once and prints the figures, or only some of them. It returns the names of the figures that break the run.
func (m measurement) look(ctx context.Context, l *lab, out io.Writer, only []string) (ratios, others []string, err error) {
	figures, err := m(ctx, l)
	for _, f := range figures {
		if only != nil && !slices.Contains(only, f.name) {
			continue
		}
		fmt.Fprintln(out, f)
		switch {
		case !f.breaks() || l.sizes && !f.counted():
		case f.unit == times:
			ratios = append(ratios, f.name)
		default:
			others = append(others, f.name)
		}
	}
	return ratios, others, err
}
