// Package stream follows a program that prints lines until it is interrupted, such as `simctl launch --console` or `log stream`, and
// offers it as a device.Stream. Program describes the command and the lines that are its own remarks; Start runs it. The package does
// not know any tool: drivers do.
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

// defaultWait is the time for a program that prints nothing at its start.
const defaultWait = 3 * time.Second

// Program is a program that prints lines.
type Program struct {
	Cmd host.Cmd
	// Remark reports whether a line is the program's own and not delivered. Nil: every line is delivered.
	Remark func(line string) bool
	// Ready reports whether a line shows that the program has begun. Nil: no line does.
	Ready func(line string) bool
	// Wait is how long Start waits for such a line (default 3 seconds). A program that still runs after it counts as begun.
	Wait time.Duration
	// Explain makes the error for a program that failed to begin, from its exit and its last standard error. Nil: host's error.
	Explain func(stderr []byte, err error) error
}

// Stream is a running program.
type Stream struct {
	program Program
	process *host.Process
	line    func(string)
	close   func() error

	mu     sync.Mutex
	said   string // the line that showed that the program had begun
	closed bool

	ready chan struct{}
}

var _ device.Stream = (*Stream)(nil)

// Start starts a program and waits until it has begun. If the program fails before that, Start returns an error; if it ends
// successfully, Start returns a short stream. When ctx ends first, Start ends the program.
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

// hear gets every line of the program, one at a time.
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

// Said is the line that showed that the program had begun; "" without one.
func (s *Stream) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// Done is closed when the program has ended and its last line was delivered.
func (s *Stream) Done() <-chan struct{} { return s.process.Done() }

// Err is the error with which the program ended by itself.
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

// Close interrupts the program and waits for its end; it kills a program that does not end.
func (s *Stream) Close() error { return s.close() }

func (s *Stream) stop() error {
	if !s.process.Alive() { // it ended by itself: Err still has the reason
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.process.Stop(context.Background())
}

// Killed reports whether Close had to kill the program because it ignored the interrupt.
func (s *Stream) Killed() bool {
	if s.process.Alive() {
		return false
	}
	res, _ := s.process.Result()
	return res.Signal == "SIGKILL"
}
