package debugger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/text/lazyregexp"
)

// hold is an internal halt of a running program, to set a breakpoint. It does not count as a stop, and no answer shows it.
type hold struct {
	got  chan halt
	left bool // the caller has stopped waiting: the program continues as soon as it halts
}

// holdLimit is the time limit of a hold. LLDB often cannot halt a program that keeps meeting a condition; then the breakpoint is set
// while the program runs, and sift judges where it stops.
const holdLimit = 2 * time.Second

// held runs fn while the program is halted. Thread is 0 if the program did not halt in time. The caller has the turn.
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
	thread, _, err = d.paused() // the program may have stopped by itself
	if err != nil && !fault.Is(err, fault.NotPaused) {
		return err
	}
	return fn(thread)
}

// interrupt halts a running program by SIGSTOP. LLDB's own interrupt may take 20 s and lose its threads, if it comes right after
// breakpoints were set in a running program.
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

// holds gives a halt to the caller of interrupt. The caller has the mutex.
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

// vet is a fault if the condition of a breakpoint does not compile. The program need not be at the breakpoint: vet declares the variables
// in scope there, in a block that LLDB compiles and never runs. If these declarations themselves do not compile, as in Swift, or if
// the function has members (this or self), vet accepts the condition: an invalid one then shows at its first stop.
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
		WithHint("%s shows the variables at a stop in this function", hint.Do("debug_vars"))
}
