package host

import (
	"bytes"
	"errors"
	"os"
	"time"
)

const (
	maxLine = 16 << 20
	// What the program wrote before it exited fits the pipe's buffer. Whatever comes later is written by a grandchild
	// that inherited the pipe and may keep it open for ever, so the wait for it is bounded in time and in bytes.
	drainTime  = 500 * time.Millisecond
	drainBytes = 1 << 20
)

// pump moves one stream of a child into its capture and to OnLine until the stream ends.
type pump struct {
	r    *os.File
	keep *capture
	line func([]byte) // nil when nobody wants lines
	part []byte       // a line whose end has not come yet
}

func (p *pump) run() {
	defer p.r.Close()
	defer p.flush()
	buf := make([]byte, 32<<10)
	for {
		n, err := p.r.Read(buf)
		p.take(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.drain(buf)
			return
		}
		if err != nil {
			return
		}
	}
}

// exited tells the pump that its child is gone: a blocked read returns and what is left is drained.
func (p *pump) exited() { _ = p.r.SetReadDeadline(time.Now()) }

// drain counts only the time spent waiting for data, not the time OnLine takes: a slow reader loses nothing.
func (p *pump) drain(buf []byte) {
	patience := drainTime
	for got := 0; got < drainBytes && patience > 0; {
		asked := time.Now()
		if p.r.SetReadDeadline(asked.Add(patience)) != nil {
			return
		}
		n, err := p.r.Read(buf)
		patience -= time.Since(asked)
		got += n
		p.take(buf[:n])
		if err != nil {
			return
		}
	}
}

func (p *pump) take(b []byte) {
	p.keep.add(b)
	if p.line == nil {
		return
	}
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		p.emit(b[:i])
		b = b[i+1:]
	}
	p.part = append(p.part, b...)
	if len(p.part) >= maxLine {
		p.emit(nil)
	}
}

// emit delivers the waiting part and the end of its line.
func (p *pump) emit(end []byte) {
	if len(p.part) == 0 {
		p.line(bytes.TrimSuffix(end, []byte("\r")))
		return
	}
	p.part = append(p.part, end...)
	p.line(bytes.TrimSuffix(p.part, []byte("\r")))
	p.part = p.part[:0]
}

func (p *pump) flush() {
	if len(p.part) > 0 {
		p.emit(nil)
	}
}
