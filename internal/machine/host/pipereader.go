package host

import (
	"errors"
	"os"
	"time"
)

const (
	// The output of a program before its exit fits into the pipe's buffer. A grandchild that inherited the pipe may write later and keep
	// the pipe open for ever, so draining is bounded in time and in bytes.
	drainTime  = 500 * time.Millisecond
	drainBytes = 1 << 20
)

// pipeReader reads one stream of a process until the stream ends, or until the process has ended and the rest is drained.
type pipeReader struct{ r *os.File }

func (p *pipeReader) run(take func([]byte)) {
	defer p.r.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := p.r.Read(buf)
		take(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.drain(buf, take)
			return
		}
		if err != nil {
			return
		}
	}
}

// exited is called when the process has ended: a blocked read returns, and the reader drains the pipe.
func (p *pipeReader) exited() { _ = p.r.SetReadDeadline(time.Now()) }

// drain limits the time of waiting for data, not the time that take needs, so that a slow OnLine loses no output.
func (p *pipeReader) drain(buf []byte, take func([]byte)) {
	patience := drainTime
	for got := 0; got < drainBytes && patience > 0; {
		asked := time.Now()
		if p.r.SetReadDeadline(asked.Add(patience)) != nil {
			return
		}
		n, err := p.r.Read(buf)
		patience -= time.Since(asked)
		got += n
		take(buf[:n])
		if err != nil {
			return
		}
	}
}
