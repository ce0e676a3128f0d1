package host

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a started child. Its methods are safe for concurrent use.
type Process struct {
	PID   int    // also the id of its process group; in a replay, a number that no process can have
	Spool string // the file of its output; empty without Cmd.Spool, or when it could not be created

	host *Host
	spec Cmd
	spawned
	output   *outputTee
	began    time.Time
	end      ending
	stdin    stdinCopier
	stdinErr error

	exited chan struct{} // the program itself is gone
	done   chan struct{} // the program is gone and its streams are read
	halt   sync.Once
	halted chan struct{} // the group got a signal, and has ended or was killed
}

// Start starts a long-lived child. The context only limits the start: the child lives until it exits, is stopped, or the host is closed.
func (h *Host) Start(ctx context.Context, c Cmd) (*Process, error) {
	return h.spawn(ctx, c, func() *boundedBuffer { return tailOnly(cmp.Or(max(c.MaxOutput, 0), defaultTail)) })
}

// Done is closed when the program has exited and its output is read. Grandchildren may still run.
func (p *Process) Done() <-chan struct{} { return p.done }

// Alive reports whether Done is still open.
func (p *Process) Alive() bool { return open(p.done) }

// open reports whether a channel is not closed yet.
func open(end <-chan struct{}) bool {
	select {
	case <-end:
		return false
	default:
		return true
	}
}

// Result waits for Done and returns how the program ended, with the errors of Run.
func (p *Process) Result() (Result, error) {
	<-p.done
	r := p.result()
	return r, p.verdict(r)
}

// Tail returns the end of what the program has written to a stream so far.
func (p *Process) Tail(s Stream) []byte {
	b, _ := p.output.of(s).keep.bytes()
	return b
}

// Lost returns the number of bytes of a stream before the bytes of Tail.
func (p *Process) Lost(s Stream) int64 {
	_, lost := p.output.of(s).keep.bytes()
	return lost
}

// LastOutput returns the end of the program's standard error or, if that is empty, of its standard output.
func (p *Process) LastOutput() string {
	words := bytes.TrimSpace(p.Tail(Stderr))
	if len(words) == 0 {
		words = bytes.TrimSpace(p.Tail(Stdout))
	}
	return lastLines(words, tailLines)
}

// watch follows a child from its start to its end.
func (p *Process) watch() {
	var reading sync.WaitGroup
	reading.Go(func() { p.deliver(p.output.take) })
	p.end = p.wait()
	p.stdinErr = p.stdin.exited()
	close(p.exited)
	reading.Wait()
	p.output.finish(p.end)
	p.host.forget(p)
	close(p.done)
}

// signal sends a signal to the whole group; why is for the transcript.
func (p *Process) signal(sig unix.Signal, why string) {
	if open(p.exited) {
		p.output.rec.signalSent(sig, why)
	}
	p.spawned.signal(sig)
}

// result returns the result so far; it is complete after done.
func (p *Process) result() Result {
	r := Result{ExitCode: -1, Took: time.Since(p.began), Spool: p.Spool, SpoolErr: p.output.spool.failure()}
	var lost int64
	r.Stdout, r.Truncated = p.output.stdout.keep.bytes()
	r.Stderr, lost = p.output.stderr.keep.bytes()
	r.Truncated += lost
	if !open(p.exited) {
		r.ExitCode, r.Signal, r.Took = p.end.code, p.end.signal, p.end.took
	}
	return r
}

// verdict returns the error for the end of the program; nil for exit code 0.
func (p *Process) verdict(r Result) error {
	if p.end.err != nil {
		return fmt.Errorf("%s: %w", p.spec.Name, p.end.err)
	}
	if r.ExitCode != 0 {
		return &ExitError{Name: p.spec.Name, Args: p.spec.Args, Code: r.ExitCode, Signal: r.Signal,
			StderrTail: lastLines(r.Stderr, tailLines), Spool: r.Spool}
	}
	if p.stdinErr != nil {
		return fmt.Errorf("%s: stdin: %w", p.spec.Name, p.stdinErr)
	}
	return nil
}
