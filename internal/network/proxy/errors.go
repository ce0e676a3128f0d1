package proxy

import (
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/rules"
)

// stoppedError says that no proxy runs.
type stoppedError struct{ why string }

func (e *stoppedError) Error() string {
	if e.why != "" {
		return "the proxy does not run: " + e.why
	}
	return "the proxy does not run"
}

func (e *stoppedError) Fault() *fault.Fault { return fault.New(fault.ProxyNotRunning, "%w", e) }

// endedError says that the process ended before it answered. A new one is started by itself.
type endedError struct{}

func (*endedError) Error() string { return "the proxy's process ended before it answered" }

func (e *endedError) Fault() *fault.Fault {
	return fault.New(fault.ProxyFailed, "%w", e).WithHint("a new process starts by itself: %s shows when the proxy runs; then repeat the call", hint.Do("proxy_status"))
}

// runningError says that a proxy runs already.
type runningError struct{ at, owner string } // owner is another session; empty: it is nobody's, or the caller's own

func (e *runningError) Error() string {
	if e.owner != "" {
		return "a proxy runs already on " + e.at + ", started by the session " + e.owner
	}
	return "a proxy runs already on " + e.at
}

func (e *runningError) Fault() *fault.Fault { return fault.New(fault.ProxyRunning, "%w", e) }

// refusedError is what the process said instead of doing something.
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

// brokenError says that the process ended so often that no new one is started.
type brokenError struct {
	times int
	last  error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("the proxy's process ended %d times in a minute, at last: %v", e.times, e.last)
}

func (e *brokenError) Unwrap() error { return e.last }
