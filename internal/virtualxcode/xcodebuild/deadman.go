package xcodebuild

import (
	"sync"
	"time"
)

// deadMan is how long an agent runs without a client: its starter may have ended.
const deadMan = 2 * time.Minute

// watch ends the agent after this time without a client.
type watch struct {
	alone chan struct{}
	limit time.Duration

	mu      sync.Mutex
	clients int
	timer   *time.Timer
}

func newWatch(limit time.Duration) *watch {
	w := &watch{alone: make(chan struct{}), limit: limit}
	w.timer = time.AfterFunc(limit, func() { close(w.alone) })
	return w
}

func (w *watch) enter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients++
	w.timer.Stop()
}

func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clients--; w.clients == 0 {
		w.timer.Reset(w.limit)
	}
}
