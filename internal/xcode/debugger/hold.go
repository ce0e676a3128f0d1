package debugger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/text/lazyregexp"
)

// hold is a halt of a running program that was asked for to set a breakpoint, and that nobody is told of.
type hold struct {
	got  chan halt
	left bool // nobody waits for it any more: when it comes, the program goes on at once
}

// holdLimit is how long a hold is waited for. Beside a condition that is met again and again LLDB often cannot halt the program; then the
// breakpoint is set while it runs, and sift judges where it stops.
const holdLimit = 2 * time.Second

// held runs fn while the program stands still. Thread is 0 if it could not be halted in time. The caller has the turn.
func (d *Debugger) held(ctx context.Context, fn func(thread int) error) error {
	thread, _, err := d.paused()
	if err == nil {
		return fn(thread)
	}
	if !fault.Is(err, fault.NotPaused) {
		return err
	}
	if h, standing := d.interrupt(ctx); standing {
		defer d.goOn(context.WithoutCancel(ctx), h)
		return fn(h.thread)
	}
	thread, _, err = d.paused() // it may have stopped by itself
	if err != nil && !fault.Is(err, fault.NotPaused) {
		return err
	}
	return fn(thread)
}

// interrupt halts a running program by the system's signal. LLDB's own interrupt, just after breakpoints were set in a running program,
// may take 20 s and lose its threads.
func (d *Debugger) interrupt(ctx context.Context) (h halt, standing bool) {
	wait := &hold{got: make(chan halt, 1)}
	d.mu.Lock()
	d.hold = wait
	changed := d.changed
	d.mu.Unlock()
	if processes.Suspend(d.PID) == nil {
		late := time.NewTimer(holdLimit)
		defer late.Stop()
		select {
		case h = <-wait.got:
			return h, true
		case <-changed:
		case <-late.C:
		case <-d.gone:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case h = <-wait.got:
		return h, true
	default:
		wait.left = true
		return h, false
	}
}

// holds gives a halt to who asked for it. The caller has the mutex.
func (d *Debugger) holds(h halt) {
	wait := d.hold
	d.hold = nil
	if !h.interrupts() { // the signal follows
		d.hold = &hold{left: true}
	}
	if wait.left {
		go d.goOn(context.Background(), h)
		return
	}
	wait.got <- h
}

var (
	inScope  = lazyregexp.New(`(?m)^ +Variable: .*?name = "([^"]+)", type = "([^"]+)"`)
	compiled = lazyregexp.New(`^<[^>]*>:\d+:\d+: `)
)

// vet is a fault when the condition of a breakpoint cannot be compiled. The program need not be at the breakpoint: the names that are known
// there are declared in a block that is compiled and never run. Where these declarations themselves do not compile, as in Swift, or
// members are known by their names alone, nothing is refused: an invalid condition is then told at its first stop.
func (d *Debugger) vet(ctx context.Context, thread int, b Breakpoint) error {
	if b.pc == "" || b.Condition == "" || strings.Contains(b.Condition, "//") {
		return nil
	}
	frames, _, err := d.frames(ctx, thread, 0, 1)
	if err != nil || len(frames) == 0 {
		return nil
	}
	scope, err := d.printed(ctx, 0, "image lookup --verbose --address "+b.pc)
	if err != nil {
		return nil
	}
	declared := map[string]bool{}
	var names strings.Builder
	for _, v := range inScope.FindAllStringSubmatch(scope, -1) {
		if v[1] == "this" || v[1] == "self" {
			return nil
		}
		if !declared[v[1]] {
			declared[v[1]] = true
			fmt.Fprintf(&names, "__typeof__(%s) %s; ", strings.TrimRight(v[2], " &"), v[1])
		}
	}
	compile := func(condition string) error {
		_, err := d.expression(ctx, frames[0].id, "--allow-jit false", fmt.Sprintf("if (0) { %s(bool)(%s); }", names.String(), condition))
		return err
	}
	invalid := compile(b.Condition)
	if invalid == nil || compile("true") != nil {
		return nil
	}
	return fault.New(fault.InvalidInput, "the condition %.80q is invalid at %s: %w", b.Condition, b.At(), invalid).With("field", "condition").
		WithHint("`ios-agent debug vars` shows the names at a stop there; the breakpoint was not set")
}
