package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const spoolPiece = 64 << 10 // maximum size of a held line without an end, in bytes

// spool is a file that gets the whole output of a program; a nil spool drops it. The error has a mutex of its own, because a caller can ask
// for the result while OnLine blocks.
type spool struct {
	file *os.File
	part [Stderr + 1][]byte // per stream, a line whose end has not come yet

	mu  sync.Mutex
	err error // the first error; later writes are dropped
}

func openSpool(c Cmd) *spool {
	if c.Spool == "" {
		return nil
	}
	s := &spool{}
	dir, err := makeFolder(c.Spool)
	if err == nil {
		name := fileName(c.Name) + "-" + time.Now().Format("20060102T150405.000")
		s.file, err = os.CreateTemp(dir, name+"-*.log") // mode 0600
	}
	s.fail(err)
	return s
}

func (s *spool) path() string {
	if s == nil || s.file == nil {
		return ""
	}
	return s.file.Name()
}

func (s *spool) add(on Stream, b []byte) {
	if s == nil {
		return
	}
	end := bytes.LastIndexByte(b, '\n') + 1
	if end > 0 {
		s.write(on, b[:end])
	}
	s.part[on] = append(s.part[on], b[end:]...)
	if len(s.part[on]) >= spoolPiece {
		s.write(on, nil)
	}
}

// write writes the held part of a stream and b at once.
func (s *spool) write(on Stream, b []byte) {
	held := append(s.part[on], b...)
	s.part[on] = held[:0]
	if s.failure() == nil && len(held) > 0 {
		_, err := s.file.Write(held)
		s.fail(err)
	}
}

func (s *spool) close() {
	if s == nil || s.file == nil {
		return
	}
	s.write(Stdout, nil)
	s.write(Stderr, nil)
	s.fail(s.file.Close())
}

func (s *spool) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("spool: %w", err)
	}
}

func (s *spool) failure() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fileName returns the base name of a program as a part of a file name: without separators and without characters of patterns.
func fileName(program string) string {
	clean := func(r rune) rune {
		if strings.ContainsRune("._-", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}
	name := strings.Map(clean, filepath.Base(program))
	return name[:min(len(name), 64)]
}
