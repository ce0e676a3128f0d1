package host

import (
	"io"
	"os"
)

// pipes collects the pipes of one start. The child's ends are always closed in this process, our ends only when the start fails.
type pipes struct {
	ours, theirs []*os.File
	err          error // the first error; later calls have no effect
}

func (p *pipes) open() (r, w *os.File) {
	if p.err == nil {
		r, w, p.err = os.Pipe()
	}
	return r, w
}

// input makes a pipe that the child reads.
func (p *pipes) input() (io.Reader, io.WriteCloser, error) {
	r, w := p.open()
	if p.err != nil {
		return nil, nil, p.err
	}
	p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
	return r, w, nil
}

// output makes a pipe that the child writes.
func (p *pipes) output() (*os.File, io.Writer) {
	r, w := p.open()
	if p.err != nil {
		return nil, nil
	}
	p.theirs, p.ours = append(p.theirs, w), append(p.ours, r)
	return r, w
}

func (p *pipes) closeTheirs() { closeAll(p.theirs) }
func (p *pipes) closeOurs()   { closeAll(p.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
