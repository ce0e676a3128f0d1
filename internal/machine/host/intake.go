package host

import "sync"

// intake is where the output of a program arrives, from a process or from a transcript alike. It takes one chunk at a
// time, so that OnLine, the spool and the transcript see one and the same order, and a replay repeats it.
type intake struct {
	mu             sync.Mutex
	stdout, stderr flow
	spool          *spool
	rec            *recording
}

func newIntake(c Cmd, s *spool, rec *recording, newCapture func() *capture) *intake {
	in := &intake{stdout: flow{keep: newCapture()}, stderr: flow{keep: newCapture()}, spool: s, rec: rec}
	if c.OnLine != nil {
		in.stdout.line = func(line []byte) { c.OnLine(Stdout, line) }
		in.stderr.line = func(line []byte) { c.OnLine(Stderr, line) }
	}
	return in
}

func (in *intake) of(s Stream) *flow {
	if s == Stderr {
		return &in.stderr
	}
	return &in.stdout
}

func (in *intake) take(s Stream, b []byte) {
	if len(b) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.rec.chunk(s, b)
	in.spool.add(s, b)
	in.of(s).take(b)
}

// finish delivers lines without an end, those of stdout first: which stream closed last is chance.
func (in *intake) finish(e ending) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stdout.flush()
	in.stderr.flush()
	in.spool.close()
	in.rec.finish(e)
}
