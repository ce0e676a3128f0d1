package host

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a child that lives. Its methods are safe for concurrent use.
type Process struct {
	PID int // also the id of its process group

	host           *Host
	spec           Cmd
	exec           *exec.Cmd
	began          time.Time
	took           time.Duration
	stdin          feed
	stdinErr       error
	stdout, stderr pump

	exited chan struct{} // the program itself is gone
	done   chan struct{} // and its streams are read
	halt   sync.Once
	halted chan struct{} // the halt, once begun, has ended the group
}

// Start starts a long-lived child. The context covers the starting only: the child lives until it exits, is stopped,
// or the host is closed.
func (h *Host) Start(ctx context.Context, c Cmd) (*Process, error) {
	return h.spawn(ctx, c, func() *capture { return tailOnly(orDefault(c.MaxOutput, defaultTail)) })
}

// Done is closed when the program has exited and its output is read. Grandchildren it left behind are left alone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Result waits for Done and tells how the program ended, with the errors of Run.
func (p *Process) Result() (Result, error) {
	<-p.done
	r := p.result()
	return r, p.verdict(r)
}

// Tail returns the end of what the program has written to a stream so far.
func (p *Process) Tail(s Stream) []byte {
	pump := &p.stdout
	if s == Stderr {
		pump = &p.stderr
	}
	b, _ := pump.keep.bytes()
	return b
}

// watch is the life of a child after its start.
func (p *Process) watch() {
	var pumps sync.WaitGroup
	pumps.Go(p.stdout.run)
	pumps.Go(p.stderr.run)
	_ = p.exec.Wait() // ProcessState tells all there is
	p.took = time.Since(p.began)
	p.host.unregister(p.PID)
	p.stdinErr = p.stdin.exited()
	close(p.exited)
	p.stdout.exited()
	p.stderr.exited()
	pumps.Wait()
	p.host.forget(p)
	close(p.done)
}

// result reads what there is; complete only after done.
func (p *Process) result() Result {
	r := Result{ExitCode: -1, Took: time.Since(p.began)}
	var lost int64
	r.Stdout, r.Truncated = p.stdout.keep.bytes()
	r.Stderr, lost = p.stderr.keep.bytes()
	r.Truncated += lost
	select {
	case <-p.exited:
		r.Took = p.took
		if s, ok := p.exec.ProcessState.Sys().(syscall.WaitStatus); ok {
			r.ExitCode, r.Signal = ending(s)
		}
	default:
	}
	return r
}

func ending(s syscall.WaitStatus) (code int, signal string) {
	if !s.Signaled() {
		return s.ExitStatus(), ""
	}
	name := unix.SignalName(s.Signal())
	if name == "" {
		name = fmt.Sprintf("signal %d", s.Signal())
	}
	return -1, name
}

// verdict turns an ending into an error, or nil for exit code 0.
func (p *Process) verdict(r Result) error {
	if r.ExitCode != 0 {
		return &ExitError{Name: p.spec.Name, Args: p.spec.Args, Code: r.ExitCode, Signal: r.Signal,
			StderrTail: lastLines(r.Stderr, tailLines)}
	}
	if p.stdinErr != nil {
		return fmt.Errorf("%s: stdin: %w", p.spec.Name, p.stdinErr)
	}
	return nil
}
