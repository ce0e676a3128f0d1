package logcap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// sink is the file of a capture. Several streams give it lines, and one goroutine writes them.
type sink struct {
	in      chan string
	closing chan struct{}
	closed  chan struct{}

	// Only the writing goroutine uses the fields below until closed is closed.
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

// write writes a line. If the disk is full, lines are lost and counted; the app continues.
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

// add queues a line; after close it does nothing.
func (s *sink) add(line string) {
	select {
	case s.in <- line:
	case <-s.closing:
	}
}

// close is called once, after the streams have ended. The sink is nil if the capture's file could not be made.
func (s *sink) close() error {
	if s == nil {
		return nil
	}
	close(s.closing)
	<-s.closed
	return s.err
}

// read is the content of a file, or the beginning and the end of a large one, cut between lines.
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

// valid replaces invalid UTF-8: apps may print any bytes.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
