package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

const (
	// headPatience is how long a daemon may take until it begins with a call: it says so before it does anything.
	headPatience = 30 * time.Second
	// answerGrace is how long a daemon may take beyond the limit of an operation, which it keeps itself.
	answerGrace = time.Minute
)

// frozenError says that a daemon is there and does not answer: it is stopped, or its machine was asleep.
type frozenError struct {
	pid    int
	waited time.Duration
}

func (e *frozenError) Error() string {
	return fmt.Sprintf("the daemon (process %d) has not answered within %s", e.pid, e.waited)
}

// Fault says how to end the frozen daemon.
func (e *frozenError) Fault() *fault.Fault {
	return fault.New(fault.DaemonUnreachable, "%w", e).
		WithHint("%s ends a frozen daemon too; the next call starts a new one", hint.Command("ios-agent daemon stop"))
}

// during is the fault of a call that a daemon froze on. The call lies before it, and may still be performed.
func (e *frozenError) during(o op.Op) error {
	f := e.Fault()
	if o.Hints.Has(op.ReadOnly) {
		return f
	}
	return fault.New(fault.OutcomeUnknown, "%s: %w", o.Name, e).WithHint("%s; look before you repeat the call", f.Hint).
		WithDispatch(fault.MaybeDispatched)
}

// timedOut makes what a transport says of a late answer a frozenError.
func timedOut(ctx context.Context, err error, pid int, waited time.Duration) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() && ctx.Err() == nil {
		return &frozenError{pid, waited}
	}
	return fmt.Errorf("%w: %w", errNotBegun, err) // the head is sent before anything is done
}
