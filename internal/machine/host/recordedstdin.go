package host

import (
	"io"
	"sync"
)

const maxStdin = 1 << 20

// recordedStdin passes a program's input on and keeps its beginning for the transcript. The host may still copy the input when the program
// is gone, so a mutex guards the kept part.
type recordedStdin struct {
	from io.Reader

	mu    sync.Mutex
	kept  []byte
	total int64
	ended bool
}

func (l *recordedStdin) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p[:min(n, maxStdin-len(l.kept))]...)
	l.total += int64(n)
	l.ended = l.ended || err != nil
	return n, err
}

func (l *recordedStdin) recorded(v *redactor) *input {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &input{content: contentOf(v.all(l.kept)), Ended: l.ended, Cut: l.total - int64(len(l.kept))}
}
