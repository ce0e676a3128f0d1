package host

import (
	"io"
	"sync"
)

const maxStdin = 1 << 20

// listener passes a program's input on and keeps the beginning. The copying may go on after the program is gone, so it
// is read and asked at the same time.
type listener struct {
	from io.Reader

	mu    sync.Mutex
	kept  []byte
	total int64
	ended bool
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p[:min(n, maxStdin-len(l.kept))]...)
	l.total += int64(n)
	l.ended = l.ended || err != nil
	return n, err
}

func (l *listener) heard(v *veil) *input {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &input{content: contentOf(v.all(l.kept)), Ended: l.ended, Cut: l.total - int64(len(l.kept))}
}
