package proxy

import (
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/rules"
)

// stoppedError says that the proxy does not run.
type stoppedError struct{ why string }

func (e *stoppedError) Error() string {
	if e.why != "" {
		return "the proxy does not run: " + e.why
	}
	return "the proxy does not run"
}

func (e *stoppedError) Fault() *fault.Fault { return fault.New(fault.ProxyNotRunning, "%w", e) }

// endedError says that the process ended before it answered. The Controller restarts it.
type endedError struct{}

func (*endedError) Error() string { return "the proxy's process ended before it answered" }

func (e *endedError) Fault() *fault.Fault {
	return fault.New(fault.ProxyFailed, "%w", e).
		WithHint("%s shows when the proxy runs again; then repeat the call", hint.Do("proxy_status"))
}

// runningError says that the proxy runs already.
type runningError struct{ at, owner string } // owner is another session; empty: without an owner, or the caller's own

func (e *runningError) Error() string {
	if e.owner != "" {
		return "a proxy runs already on " + e.at + ", started by the session " + e.owner
	}
	return "a proxy runs already on " + e.at
}

func (e *runningError) Fault() *fault.Fault { return fault.New(fault.ProxyRunning, "%w", e) }

// refusedError is the process's refusal of a command.
type refusedError struct{ trouble }

func (e *refusedError) Error() string { return e.Text }

func (e *refusedError) Fault() *fault.Fault {
	switch e.Kind {
	case kindInput:
		f := fault.New(fault.InvalidInput, "%s", e.Text)
		if e.Hint != "" {
			f = f.WithHint("%s", e.Hint)
		}
		if e.Field != "" {
			f = f.With("field", e.Field)
		}
		return f
	case kindPort:
		return fault.New(fault.ProxyFailed, "%s", e.Text).
			WithHint("stop the process that uses the port, or name another port with %s", hint.Field("port"))
	case kindNotHeld:
		return fault.New(fault.FlowNotHeld, "%s", e.Text)
	case kindOwned:
		return (&rules.OwnedError{What: e.What, Owner: e.Owner}).Fault()
	}
	return fault.New(fault.ProxyFailed, "%s", e.Text)
}

// brokenError says that the process ended too often to restart it.
type brokenError struct {
	times int
	last  error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("the proxy's process ended %d times in a minute, last: %v", e.times, e.last)
}

func (e *brokenError) Unwrap() error { return e.last }
