package logcap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// sink is the file of a capture. One goroutine writes it; several streams give it their lines.
type sink struct {
	in      chan string
	closing chan struct{}
	closed  chan struct{}

	// Of the writing goroutine until closed is closed.
	file  *os.File
	size  int64
	lines int
	lost  int64
	err   error
}

func openSink(path, header string) (*sink, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(f, header); err != nil {
		f.Close()
		return nil, err
	}
	s := &sink{in: make(chan string), closing: make(chan struct{}), closed: make(chan struct{}), file: f}
	go s.run()
	return s, nil
}

func (s *sink) run() {
	defer close(s.closed)
	for {
		select {
		case line := <-s.in:
			s.write(line)
		case <-s.closing:
			s.err = s.file.Close()
			return
		}
	}
}

// write writes a line. A disk that is full loses lines, and they are counted; it does not stop the app.
func (s *sink) write(line string) {
	s.lines++
	n := int64(len(line)) + 1
	if s.size+n > MostBytes {
		s.lost += n
		return
	}
	if _, err := io.WriteString(s.file, line+"\n"); err != nil {
		s.lost += n
		return
	}
	s.size += n
}

// add hands a line over; after close it does nothing.
func (s *sink) add(line string) {
	select {
	case s.in <- line:
	case <-s.closing:
	}
}

// close is called once, after the streams have ended. The sink of a capture whose file could not be made is nil.
func (s *sink) close() error {
	if s == nil {
		return nil
	}
	close(s.closing)
	<-s.closed
	return s.err
}

// read gives a file, or the beginning and the end of a large one, cut between lines.
func read(path string) (text string, left int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	if info.Size() <= Inline {
		all, err := io.ReadAll(f)
		return valid(all), 0, err
	}
	head, tail := make([]byte, Inline/4), make([]byte, Inline/4*3)
	if _, err := io.ReadFull(f, head); err != nil {
		return "", 0, err
	}
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return "", 0, err
	}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	left = info.Size() - int64(len(head)+len(tail))
	return valid(head) + fmt.Sprintf("… %d bytes are only in the file …\n", left) + valid(tail), left, nil
}

// valid replaces bytes that are not UTF-8: apps print anything.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
