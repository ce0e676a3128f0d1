package logcap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// sink is the file of a capture; several streams write to it, a line at a time.
type sink struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	lines int
	lost  int64
}

func openSink(path, header string) (*sink, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	s := &sink{file: f}
	if _, err := fmt.Fprintln(f, header); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// add writes a line. A disk that is full loses lines, and they are counted; it does not stop the app.
func (s *sink) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines++
	n := int64(len(line)) + 1
	if s.file == nil || s.size+n > MostBytes {
		s.lost += n
		return
	}
	if _, err := io.WriteString(s.file, line+"\n"); err != nil {
		s.lost += n
		return
	}
	s.size += n
}

func (s *sink) counts() (lines int, lost int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines, s.lost
}

// close may come for a sink that was never opened.
func (s *sink) close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.file
	s.file = nil
	if f == nil {
		return nil
	}
	return f.Close()
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

// valid replaces what is no text: apps print anything.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
