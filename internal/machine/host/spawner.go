package host

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// spawner starts programs: as processes, as functions, or from transcripts. The code for lines, bounds, spool, deadlines, stopping and
// recording uses only this interface.
type spawner interface {
	// spawn starts c. The caller of the host gets its error.
	spawn(c Cmd) (spawned, error)
}

// spawned is a started program.
type spawned struct {
	program
	pid     int
	stdin   io.WriteCloser  // Cmd.Stdin must be copied to it; nil without a copy
	overdue <-chan struct{} // closed when a replayed program has reached its timeout; nil: the clock decides
}

// program is a started program. deliver and wait are called once each, at the same time.
type program interface {
	deliver(to sink) // blocks until both streams have ended or are abandoned
	wait() ending    // blocks until the program itself is gone
	signal(sig unix.Signal)
	lives() bool // whether any member of its group lives
}

// sink receives output as it arrives. It may be called for both streams at once and must not keep b.
type sink func(s Stream, b []byte)

// ending is how a program ended.
type ending struct {
	code   int // -1 when a signal ended it
	signal string
	took   time.Duration
	err    error // an error other than the failure of the program
}

// spawn starts c, and begins its transcript and the reading of its output.
func (h *Host) spawn(ctx context.Context, c Cmd, newCapture func() *boundedBuffer) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	if h.isClosed() {
		return nil, ErrClosed
	}
	c.named = h.inherit
	rec := h.transcripts.begin(c) // before the start, so that the numbers have the order of the calls
	began := time.Now()
	s, err := h.spawner.spawn(c)
	if err != nil {
		rec.startFailed(err)
		return nil, err
	}
	p := newProcess(h, c, s, rec, newCapture)
	p.began = began
	p.stdin.begin(s.stdin, rec.recordStdin(c.Stdin))
	if err := h.adopt(p); err != nil {
		p.signal(unix.SIGKILL, "")
		p.watch()
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	go p.watch()
	return p, nil
}

func newProcess(h *Host, c Cmd, s spawned, rec *transcriptWriter, newCapture func() *boundedBuffer) *Process {
	spool := openSpool(c)
	return &Process{
		PID: s.pid, Spool: spool.path(), host: h, spec: c, spawned: s, output: newOutputTee(c, spool, rec, newCapture),
		exited: make(chan struct{}), done: make(chan struct{}), halted: make(chan struct{}),
	}
}
