// Command lanes runs the checks that must pass before a change lands, in named lanes. Each lane has a budget, and at its end prints its
// time and its slowest parts. `.ci/run` is a name for it.
//
//	go run ./test/lanes             all lanes
//	go run ./test/lanes base fuzz   these
//	go run ./test/lanes -list       their names and budgets
//
// A lane over its budget is reported but does not fail, because machines differ. With CI=true the scripts fail where a real component,
// such as a Swift toolchain or npm, is missing; without it, they print that they skip.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"ios-agent/internal/machine/host"
)

func main() {
	list := flag.Bool("list", false, "print the lanes and leave")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	chosen, err := choose(flag.Args())
	if err == nil && !*list {
		err = run(ctx, chosen)
	}
	if *list {
		for _, l := range chosen {
			fmt.Printf("%-6s %3.0f min  %s\n", l.name, l.budget.Minutes(), l.what)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lanes:", err)
		os.Exit(1)
	}
}

// choose finds the lanes by their names; none named are all.
func choose(names []string) ([]lane, error) {
	if len(names) == 0 {
		return lanes, nil
	}
	var chosen []lane
	for _, name := range names {
		i := slices.IndexFunc(lanes, func(l lane) bool { return l.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown lane %q; the lanes are %s", name, strings.Join(laneNames(), ", "))
		}
		chosen = append(chosen, lanes[i])
	}
	return chosen, nil
}

func laneNames() (names []string) {
	for _, l := range lanes {
		names = append(names, l.name)
	}
	return names
}

// run runs lanes to their ends: after a failure the other lanes still run and report.
func run(ctx context.Context, chosen []lane) error {
	h, err := host.New(host.Options{Inherit: []string{"*"}})
	if err != nil {
		return err
	}
	defer h.Close()
	var reports []*report
	var failed []string
	for _, l := range chosen {
		r := l.run(ctx, h, os.Stdout)
		r.print(os.Stdout)
		reports = append(reports, r)
		if r.failed != "" {
			failed = append(failed, l.name+" ("+r.failed+")")
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	whole := time.Duration(0)
	fmt.Println("\n== all lanes")
	for _, r := range reports {
		whole += r.took
		fmt.Println(r.line())
	}
	fmt.Printf("%-6s %s\n", "all", clock(whole))
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return nil
}
