package lease

import (
	"context"
	"sync"
)

// mostUnread is how far a watcher may fall behind.
const mostUnread = 1024

type watcher struct {
	events chan Event
	end    func()
}

// Watch tells what happened from now on, after it became durable. The channel is closed when ctx ends, when the table is
// closed, or when the reader is so slow that something would have been lost: read the state again and watch anew.
func (t *Table) Watch(ctx context.Context) <-chan Event {
	w := &watcher{events: make(chan Event, mostUnread)}
	w.end = sync.OnceFunc(func() { close(w.events) })
	t.mu.Lock()
	t.watch[w] = true
	t.mu.Unlock()
	context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watch, w)
		w.end()
	})
	return w.events
}

func (t *Table) tell(e Event) {
	for w := range t.watch {
		select {
		case w.events <- e:
		default:
			delete(t.watch, w)
			w.end()
		}
	}
}
