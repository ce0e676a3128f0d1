package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

const tailLines = 20

// ExitError says that a program ran and did not exit with 0.
type ExitError struct {
	Name       string
	Args       []string
	Code       int    // -1 when a signal ended it
	Signal     string // "SIGSEGV", or empty
	StderrTail string // at most the last 20 lines
	Spool      string // Result.Spool
}

// Error names the program, how it ended and its last line of output. It omits the arguments, which may contain secrets.
func (e *ExitError) Error() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Signal != "" {
		how = "ended by " + e.Signal
	}
	return e.Name + ": " + how + said(e.StderrTail)
}

// TimeoutError says that the host ended a program because it ran longer than Cmd.Timeout. errors.Is finds context.DeadlineExceeded in it.
type TimeoutError struct {
	Name       string
	Args       []string
	After      time.Duration
	StderrTail string // at most the last 20 lines
	Spool      string // Result.Spool
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s: no end within %v%s", e.Name, e.After, said(e.StderrTail))
}

// Unwrap lets callers check for both kinds of deadline at once.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Timeout reports true, as net.Error does.
func (e *TimeoutError) Timeout() bool { return true }

// NotFoundError says that the program does not exist.
type NotFoundError struct {
	Name string
	Err  error
}

func (e *NotFoundError) Error() string { return "program not found: " + e.Name }

func (e *NotFoundError) Unwrap() error { return e.Err }

// StuckError says that a program still existed after SIGKILL, because the kernel holds it.
type StuckError struct {
	Name  string
	PID   int
	Spool string // Result.Spool
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("%s: process %d is still there after SIGKILL", e.Name, e.PID)
}

// NotRecordedError says that a replay has no transcript, or none left, of the requested invocation.
type NotRecordedError struct {
	Argv    []string   // in the normal form of invocationkey.go, so without secrets
	Used    int        // number of transcripts of this invocation, all used
	Nearest [][]string // recorded invocations that are similar, at most three
}

func (e *NotRecordedError) Error() string {
	if e.Used > 0 {
		return fmt.Sprintf("replay: all %d transcripts of %q are used", e.Used, e.Argv)
	}
	msg := fmt.Sprintf("replay: no transcript of %q", e.Argv)
	for _, n := range e.Nearest {
		msg += fmt.Sprintf("; there is %q", n)
	}
	return msg
}

// said returns the last line of a tail for a message.
func said(tail string) string {
	tail = strings.TrimSpace(tail)
	if tail == "" {
		return ""
	}
	return ": " + tail[strings.LastIndexByte(tail, '\n')+1:]
}

// lastLines returns at most n lines from the end of b.
func lastLines(b []byte, n int) string {
	b = bytes.TrimRight(b, "\n")
	at := len(b)
	for range n {
		i := bytes.LastIndexByte(b[:at], '\n')
		if i < 0 {
			return string(b)
		}
		at = i
	}
	return string(b[at+1:])
}
