package resident

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrHeld says that another process is the resident. A process that was started as the resident and gets this error exits quietly.
	ErrHeld = errors.New("another process holds the lock")
	// ErrNotRunning says that no resident runs and that Connect must not start one.
	ErrNotRunning = errors.New("it does not run")
)

// SandboxedError says that the system does not allow us to reach a resident, which may be alive: the caller's sandbox has to allow Path. It
// never means that the resident is dead.
type SandboxedError struct {
	Path string
	Err  error
}

func (e *SandboxedError) Error() string {
	return fmt.Sprintf("access to %s is forbidden, probably by a sandbox: %v", e.Path, e.Err)
}

func (e *SandboxedError) Unwrap() error { return e.Err }

// StartError says that the process that we started ended before it listened, and that no other process became the resident.
type StartError struct {
	Name string
	PID  int
	Log  string // path of the log
	Tail string // lines of the log since the start, at most the last 20
}

func (e *StartError) Error() string {
	msg := fmt.Sprintf("%s (process %d) ended before it listened", e.Name, e.PID)
	if tail := strings.TrimSpace(e.Tail); tail != "" {
		msg += ": " + tail[strings.LastIndexByte(tail, '\n')+1:]
	}
	return msg + "; its log is " + e.Log
}

// NotReadyError says that a resident is alive, or was started, but did not answer in time.
type NotReadyError struct {
	Name   string
	PID    int  // 0 when unknown
	Held   bool // a process holds the lock, so a resident exists
	Waited time.Duration
	Log    string // path of the log
	Err    error  // of the last dial
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("%s (process %d) did not answer within %v; its log is %s", e.Name, e.PID, e.Waited, e.Log)
}

func (e *NotReadyError) Unwrap() error { return e.Err }

// Timeout reports true, as net.Error does.
func (e *NotReadyError) Timeout() bool { return true }
