package debugger

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/fault"
)

// noLLDB says that a program is not on this machine.
type noLLDB struct{ name string }

func (e noLLDB) Error() string { return "there is no " + e.name }

func (e noLLDB) Fault() *fault.Fault {
	return fault.New(fault.ToolMissing, "%w on the PATH of the daemon", e).
		WithHint("on a Mac install Xcode, on Debian the package lldb-19, and restart the daemon: `ios-agent daemon stop`")
}

// silentError says that the debugger did not answer in time.
type silentError struct {
	name    string
	command string
	after   time.Duration
}

func (e *silentError) Error() string {
	if e.after == 0 {
		return e.name + " reads nothing: " + e.command + " was not sent"
	}
	return fmt.Sprintf("%s did not answer %s within %v", e.name, e.command, e.after)
}

func (e *silentError) Unwrap() error { return context.DeadlineExceeded }

func (e *silentError) Fault() *fault.Fault {
	return fault.New(fault.Timeout, "%s", e.Error()).WithHint("try again, or end it: `ios-agent debug detach`")
}

// refusedError is what the debugger said instead of doing something.
type refusedError struct{ command, message string }

func (e *refusedError) Error() string { return fmt.Sprintf("lldb: %s: %s", e.command, e.message) }

func (e *refusedError) Fault() *fault.Fault {
	return fault.New(fault.ToolFailed, "%s", e.Error()).WithHint("`ios-agent debug sessions` tells how the program is")
}

// goneError says that the debugger ended by itself.
type goneError struct {
	name string
	how  error
}

func (e *goneError) Error() string {
	if e.how == nil {
		return e.name + " has ended"
	}
	return e.name + " has ended: " + e.how.Error()
}

func (e *goneError) Unwrap() error { return e.how }

func (e *goneError) Fault() *fault.Fault {
	return fault.New(fault.ToolFailed, "%s; the program probably ended with it", e.Error()).
		WithHint("if the process is still there, attach again: `ios-agent debug attach --pid X`")
}

// notPaused says that a program runs and must be paused for what was asked.
func (d *Debugger) notPaused() *fault.Fault {
	return fault.New(fault.NotPaused, "%s (process %d) runs: its stack and variables can be read when it is paused", d.Program, d.PID).
		WithHint("pause it, `ios-agent debug pause`, or wait for a breakpoint: `ios-agent debug wait`")
}

// notThere says that nothing is debugged any more. The caller has the mutex.
func (d *Debugger) notThere() *fault.Fault {
	if d.state == Left {
		return fault.New(fault.SessionNotFound, "the debugger %s was detached from process %d", d.ID, d.PID).
			WithHint("attach again: `ios-agent debug attach --pid X`")
	}
	return fault.New(fault.AppNotRunning, "%s (process %d) has ended: %s", d.Program, d.PID, d.reason).
		WithHint("start it again and attach to its new process: `ios-agent debug attach --pid X`")
}

// refusal is why the system lets nobody attach.
func refusal(why, format string, args ...any) *fault.Fault {
	return fault.New(fault.AttachRefused, format, args...).With("reason", why)
}
