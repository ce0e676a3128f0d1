package host

import "sync"

// outputTee passes the output of a program, or of a replayed transcript, to all its receivers: the buffers, OnLine, the spool and the new
// transcript. It takes one chunk at a time, so that all of them see the same order.
type outputTee struct {
	mu             sync.Mutex
	stdout, stderr lineSplitter
	raw            func(s Stream, b []byte)
	spool          *spool
	rec            *transcriptWriter
}

func newOutputTee(c Cmd, s *spool, rec *transcriptWriter, newCapture func() *boundedBuffer) *outputTee {
	in := &outputTee{stdout: lineSplitter{keep: newCapture()}, stderr: lineSplitter{keep: newCapture()}, spool: s, rec: rec}
	in.raw = c.OnOutput
	if c.OnLine != nil {
		in.stdout.line = func(line []byte) { c.OnLine(Stdout, line) }
		in.stderr.line = func(line []byte) { c.OnLine(Stderr, line) }
	}
	return in
}

func (in *outputTee) of(s Stream) *lineSplitter {
	if s == Stderr {
		return &in.stderr
	}
	return &in.stdout
}

func (in *outputTee) take(s Stream, b []byte) {
	if len(b) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.rec.output(s, b)
	in.spool.add(s, b)
	in.of(s).take(b)
	if in.raw != nil {
		in.raw(s, b)
	}
}

// finish delivers the lines without an end, of stdout first, because the order in which the streams closed is random.
func (in *outputTee) finish(e ending) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stdout.flush()
	in.stderr.flush()
	in.spool.close()
	in.rec.finish(e)
}
