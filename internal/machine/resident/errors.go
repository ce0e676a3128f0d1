package resident

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrHeld says that another process is the resident. A started process that gets it exits quietly.
	ErrHeld = errors.New("another process holds the lock")
	// ErrNotRunning says that no resident runs and that Connect must not start one.
	ErrNotRunning = errors.New("not running")
)

// SandboxedError says that the system forbids us to reach a resident that may well live: the caller's sandbox has to
// allow Path. It never means dead.
type SandboxedError struct {
	Path string
	Err  error
}

func (e *SandboxedError) Error() string {
	return fmt.Sprintf("access to %s is forbidden, probably by a sandbox: %v", e.Path, e.Err)
}

func (e *SandboxedError) Unwrap() error { return e.Err }

// StartError says that the process we started ended before it listened, and that no other took its place.
type StartError struct {
	Name string
	PID  int
	Log  string // path of the log
	Tail string // what was written to the log since the start, at most the last 20 lines
}

func (e *StartError) Error() string {
	msg := fmt.Sprintf("%s (process %d) ended before it listened", e.Name, e.PID)
	if tail := strings.TrimSpace(e.Tail); tail != "" {
		msg += ": " + tail[strings.LastIndexByte(tail, '\n')+1:]
	}
	return msg + "; its log is " + e.Log
}

// NotReadyError says that a resident lives, or was started, but did not answer in time.
type NotReadyError struct {
	Name   string
	PID    int  // 0 when unknown
	Held   bool // somebody holds the lock, so there is one
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
