package xctest

import (
	"context"
	"sync"

	"ios-agent/internal/device"
)

// work is a long task for several callers: a build of the agent, or its start. It does not belong to a caller, so it continues when callers
// leave. Callers that wait get its progress.
type work struct {
	cancel context.CancelFunc
	done   chan struct{}
	about  func(words string) string // the progress as callers get it; nil: the words themselves

	mu    sync.Mutex
	words string        // its progress; "" before it reports any
	news  chan struct{} // closed when the words change
}

// newWork returns work and the context for its goroutine. The context has the values of the caller's context but not its deadline.
func newWork(ctx context.Context) (*work, context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &work{cancel: cancel, done: make(chan struct{}), news: make(chan struct{})}
	return w, device.WithProgress(ctx, w.say)
}

// say sends progress to the waiting callers.
func (w *work) say(words string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words = words
	close(w.news)
	w.news = make(chan struct{})
}

func (w *work) said() (words string, news <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.words, w.news
}

// wait returns when the work is done, or with an error when the caller has to leave before.
func (w *work) wait(ctx context.Context) error {
	for {
		words, news := w.said()
		if words != "" && w.about != nil {
			words = w.about(words)
		}
		if words != "" {
			device.Progress(ctx, words)
		}
		select {
		case <-w.done:
			return nil
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
