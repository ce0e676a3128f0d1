// Package stream follows a program that prints lines until it is interrupted, such as `simctl launch --console` or
// `log stream`, and gives it to callers as a device.Stream. Drivers say which lines are the program's own remarks.
package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// defaultWait is for a program that prints nothing when it begins.
const defaultWait = 3 * time.Second

// Program is a program that prints lines.
type Program struct {
	Cmd host.Cmd
	// Remark reports whether a line is the program's own. Such lines are not delivered. Nil: none is.
	Remark func(line string) bool
	// Ready reports whether a line tells that the program has begun. Nil: no line does.
	Ready func(line string) bool
	// Wait is how long Start waits for such a line; 0 means 3 seconds. A program that prints none and lives is taken for
	// one that has begun.
	Wait time.Duration
	// Explain makes the error of a program that did not begin from how it ended and what it printed last to its standard
	// error. Nil: the error of host is returned.
	Explain func(stderr []byte, err error) error
}

// Stream is a program under way.
type Stream struct {
	program Program
	process *host.Process
	line    func(string)
	close   func() error

	mu     sync.Mutex
	said   string // the line by which the program told that it had begun
	closed bool

	ready chan struct{}
}

var _ device.Stream = (*Stream)(nil)

// Start starts a program and waits until it has begun. A program that ends before with a failure is an error; one that
// ends without is a short stream. When ctx ends first, the program is ended.
func Start(ctx context.Context, with host.Starter, p Program, line func(string)) (*Stream, error) {
	s := &Stream{program: p, line: line, ready: make(chan struct{})}
	s.close = sync.OnceValue(s.stop)
	cmd := p.Cmd
	cmd.OnLine = func(_ host.Stream, line []byte) { s.hear(string(line)) }
	process, err := with.Start(ctx, cmd)
	if err != nil {
		return nil, s.explain(nil, err)
	}
	s.process = process
	wait := p.Wait
	if wait <= 0 {
		wait = defaultWait
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-s.ready:
	case <-late.C:
	case <-process.Done():
		if res, err := process.Result(); err != nil && s.Said() == "" {
			return nil, s.explain(res.Stderr, err)
		}
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.Close())
	}
	return s, nil
}

func (s *Stream) explain(stderr []byte, err error) error {
	if s.program.Explain == nil {
		return err
	}
	return s.program.Explain(stderr, err)
}

// hear takes every line of the program, one at a time.
func (s *Stream) hear(line string) {
	if s.program.Ready != nil && s.program.Ready(line) {
		s.begun(line)
	}
	if s.program.Remark == nil || !s.program.Remark(line) {
		s.line(line)
	}
}

func (s *Stream) begun(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said == "" {
		s.said = line
		close(s.ready)
	}
}

// Said is the line by which the program told that it had begun; empty when it did not.
func (s *Stream) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// Done is closed when the program has ended and its last line was delivered.
func (s *Stream) Done() <-chan struct{} { return s.process.Done() }

// Err tells why the program ended by itself.
func (s *Stream) Err() error {
	select {
	case <-s.process.Done():
	default:
		return nil
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	_, err := s.process.Result()
	if closed || err == nil {
		return nil
	}
	return fault.New(fault.ToolFailed, "%w", err)
}

// Close interrupts the program and waits for its end; one that does not end is killed.
func (s *Stream) Close() error { return s.close() }

func (s *Stream) stop() error {
	if !s.process.Alive() { // it ended by itself: Err still tells why
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.process.Stop(context.Background())
}

// Killed reports whether Close had to kill the program because it did not obey the interrupt.
func (s *Stream) Killed() bool {
	if s.process.Alive() {
		return false
	}
	res, _ := s.process.Result()
	return res.Signal == "SIGKILL"
}
