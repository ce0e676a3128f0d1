// Package host runs programs on this machine and answers for them: every child has a deadline, a process group of its
// own, bounded output and an entry in a registry on disk, so that whatever a killed daemon leaves behind is found and
// ended by the next one. It is the only package that imports os/exec, and it knows nothing of what the programs do.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrClosed is what Run and Start answer after Close.
var ErrClosed = errors.New("host is closed")

// Options configure a Host; the zero value runs programs without a registry.
type Options struct {
	Dir string // registry folder, made with mode 0700; empty means children are not recorded
}

// Host starts programs and keeps track of those that live. It is safe for concurrent use.
type Host struct {
	dir   string
	owner identity

	mu     sync.Mutex
	closed bool
	live   map[*Process]struct{}
}

// New makes the registry folder and a Host that records its children there. It kills nothing: see Reap.
func New(o Options) (*Host, error) {
	h := &Host{live: map[*Process]struct{}{}}
	if o.Dir == "" {
		return h, nil
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("child registry: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("child registry: %w", err)
	}
	h.dir = dir
	h.owner = identify(os.Getpid())
	return h, nil
}

// Close stops every child of this host, waits for them, and refuses new ones.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	var all []*Process
	for p := range h.live {
		all = append(all, p)
	}
	h.mu.Unlock()

	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() { errs[i] = p.Stop(context.Background()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// adopt notes a started child; it refuses when Close came between the check and the start.
func (h *Host) adopt(p *Process) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.live[p] = struct{}{}
	return nil
}

func (h *Host) forget(p *Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.live, p)
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}
