// Command rows counts how many required facts of the product's first documents hold, by the tests that prove them. `make rows` runs it; it
// prints a table of all facts, and fails when fewer hold than required.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ios-agent/internal/machine/host"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := count(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

func count(ctx context.Context) error {
	h, err := host.New(host.Options{Inherit: []string{"GOFLAGS", "GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY", "CI", "IOS_AGENT_DESKTOP"}})
	if err != nil {
		return err
	}
	all := seeds()
	ended, err := prove(ctx, h, all)
	if err != nil {
		return err
	}
	passed := map[string]bool{}
	for _, p := range proofs(all) {
		ok, ran := ended[asRun(p)]
		if in, _, _ := parts(p); elsewhere(in) {
			ok, ran = true, true // another lane runs it, and a test here looks that it is there
		}
		if ran {
			passed[p] = ok
		}
	}
	var few []string
	for _, s := range all {
		text, enough := s.report(passed)
		fmt.Println(text)
		if !enough {
			few = append(few, s.id)
		}
	}
	if len(few) > 0 {
		return fmt.Errorf("too few rows work of %s", strings.Join(few, ", "))
	}
	return nil
}
