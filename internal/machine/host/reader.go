package host

import (
	"errors"
	"os"
	"time"
)

const (
	// What the program wrote before it exited fits the pipe's buffer. Whatever comes later is written by a grandchild
	// that inherited the pipe and may keep it open for ever, so the wait for it is bounded in time and in bytes.
	drainTime  = 500 * time.Millisecond
	drainBytes = 1 << 20
)

// reader reads one stream of a process until the stream ends, or the process has and the rest is drained.
type reader struct{ r *os.File }

func (p *reader) run(take func([]byte)) {
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

// exited tells the reader that its process is gone: a blocked read returns and what is left is drained.
func (p *reader) exited() { _ = p.r.SetReadDeadline(time.Now()) }

// drain counts only the time spent waiting for data, not the time take takes: a slow OnLine loses nothing.
func (p *reader) drain(buf []byte, take func([]byte)) {
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
