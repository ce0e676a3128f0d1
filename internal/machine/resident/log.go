package resident

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
)

const (
	tailBytes = 8 << 10
	tailLines = 20
)

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail returns the last lines that were appended to a log since it had the given size. A log that is shorter now was started again.
func logTail(path string, since int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	size := fileSize(path)
	if size < since {
		since = 0
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(since, size-tailBytes), tailBytes))
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-tailLines):], []byte("\n")))
}

// LastWords returns the last lines of a resident's log, which often give the reason for its end.
func LastWords(p Place) string {
	all := strings.Split(logTail(p.LogPath(), 0), "\n")
	return strings.Join(all[max(0, len(all)-fewWords):], " ")
}

// fewWords is the number of lines that LastWords returns, because faults and hints quote them.
const fewWords = 2

// mostLog is the maximum size of a log in bytes. One older log of that size is kept beside it.
const mostLog = 8 << 20

// Log returns the writer of a resident's log to out, which usually is the file at LogPath. When that file is full, the writer moves its
// content aside and empties it; it leaves any other out as it is.
func Log(p Place, out *os.File) io.Writer { return &log{place: p, out: out, most: mostLog} }

type log struct {
	place Place
	out   *os.File
	most  int64
	mu    sync.Mutex // keeps lines whole
}

// Write writes a line.
func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(int64(len(line)))
	return l.out.Write(line)
}

// turn copies a full log aside and empties the file. The file itself must stay: the starting process has it open to append, and so has the
// resident, for the runtime's output in a crash. If copying fails, the file is emptied all the same, so that a full disk does not become
// fuller.
func (l *log) turn(more int64) {
	ours, err := l.out.Stat()
	if err != nil || ours.Size()+more <= l.most {
		return
	}
	if file, err := os.Stat(l.place.LogPath()); err != nil || !os.SameFile(ours, file) {
		return
	}
	if raw, err := os.ReadFile(l.place.LogPath()); err == nil {
		_ = os.WriteFile(l.place.LogPath()+".1", raw[max(0, int64(len(raw))-l.most):], 0o600)
	}
	_ = l.out.Truncate(0)
}
