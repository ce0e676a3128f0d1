package host

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Runner runs a program to its end; a Host is one. For a program that failed, the error is an *ExitError and the result is filled in.
type Runner interface {
	Run(ctx context.Context, c Cmd) (Result, error)
}

// Starter starts a long-lived program; a Host is one.
type Starter interface {
	Start(ctx context.Context, c Cmd) (*Process, error)
}

var (
	_ Runner  = (*Host)(nil)
	_ Starter = (*Host)(nil)
)

// Run runs a program to its end. It returns the result as far as it is known, also with an error: *ExitError (not 0, or a signal),
// *TimeoutError (Cmd.Timeout), *NotFoundError, *StuckError, *NotRecordedError (in a replay), ErrClosed, or an error that wraps the
// context's. When Run ends the program, it ends the whole group.
func (h *Host) Run(ctx context.Context, c Cmd) (Result, error) {
	p, err := h.spawn(ctx, c, func() *boundedBuffer { return headAndTail(cmp.Or(max(c.MaxOutput, 0), defaultMaxOutput)) })
	if err != nil {
		return Result{ExitCode: -1}, err
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	cause := p.await(ctx, c.Timeout)
	if cause == nil {
		return p.Result()
	}
	late, _ := cause.(*TimeoutError)
	why := ""
	if late != nil {
		why = whyTimeout
	}
	if err := p.stop(context.Background(), why); err != nil {
		return p.result(), err
	}
	r := p.result()
	if late != nil {
		late.StderrTail = lastLines(r.Stderr, tailLines)
	}
	return r, cause
}

// await returns nil when the program ended by itself, otherwise the reason to end it.
func (p *Process) await(ctx context.Context, limit time.Duration) error {
	var late <-chan time.Time
	var overdue <-chan struct{}
	if limit > 0 {
		overdue = p.overdue
		t := time.NewTimer(limit)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", p.spec.Name, ctx.Err())
	case <-late:
	case <-overdue:
	}
	return &TimeoutError{Name: p.spec.Name, Args: p.spec.Args, After: limit, Spool: p.Spool}
}
