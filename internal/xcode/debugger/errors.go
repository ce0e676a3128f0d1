package debugger

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// noLLDB is the error for a debugger that is not installed.
type noLLDB struct{ name string }

func (e noLLDB) Error() string { return "cannot find " + e.name }

func (e noLLDB) Fault() *fault.Fault {
	return fault.New(fault.ToolMissing, "%w on the PATH of the daemon", e).
		WithHint("install Xcode on a Mac, or the package lldb-19 on Debian, then restart the daemon: %s", hint.Command("ios-agent daemon stop"))
}

// silentError is the error for a debugger that did not answer in time.
type silentError struct {
	name    string
	command string
	after   time.Duration
}

func (e *silentError) Error() string {
	if e.after == 0 {
		return "cannot send " + e.command + ": " + e.name + " does not read its input"
	}
	return fmt.Sprintf("%s did not answer %s within %v", e.name, e.command, e.after)
}

func (e *silentError) Unwrap() error { return context.DeadlineExceeded }

func (e *silentError) Fault() *fault.Fault {
	return fault.New(fault.Timeout, "%s", e.Error()).WithHint("try again; %s ends the debugger", hint.Do("debug_detach"))
}

// refusedError is the debugger's message about a refused request.
type refusedError struct{ command, message string }

func (e *refusedError) Error() string { return fmt.Sprintf("lldb: %s: %s", e.command, e.message) }

func (e *refusedError) Fault() *fault.Fault {
	return fault.New(fault.ToolFailed, "%s", e.Error()).WithHint("%s shows the program's state", sessions())
}

// goneError is the error for a debugger that ended by itself.
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
		WithHint("attach again if the process still runs: %s", attachAgain("PID"))
}

// notPaused is the fault for a request that needs a paused program.
func (d *Debugger) notPaused() *fault.Fault {
	return fault.New(fault.NotPaused, "%s (process %d) is running; pause it to read its stack and variables", d.Program, d.PID).
		WithHint("%s pauses the program; %s waits for a breakpoint", hint.Do("debug_pause"), hint.Do("debug_wait"))
}

// notThere is the fault for a debugger that is detached or whose program has ended. The caller has the mutex.
func (d *Debugger) notThere() *fault.Fault {
	if d.state == Left {
		return fault.New(fault.SessionNotFound, "the debugger %s was detached from process %d", d.ID, d.PID).
			WithHint("attach again: %s", attachAgain(d.PID))
	}
	return fault.New(fault.AppNotRunning, "%s (process %d) has ended: %s", d.Program, d.PID, d.reason).
		WithHint("start the program again and attach to its new process: %s", attachAgain("PID"))
}

// sessions is the fact of the call that lists the debuggers.
func sessions() string { return hint.Do("debug_sessions") }

// attachAgain is the fact of the call that attaches to a process.
func attachAgain(pid any) string { return hint.Do("debug_attach", "pid", pid) }

// refusal is the fault for a process that the system does not let this user debug.
func refusal(why, format string, args ...any) *fault.Fault {
	return fault.New(fault.AttachRefused, format, args...).With("reason", why)
}
