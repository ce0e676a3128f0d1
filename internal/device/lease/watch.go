package lease

import (
	"context"
	"sync"
)

// mostUnread is the maximum number of unread events of a watcher.
const mostUnread = 1024

type watcher struct {
	events chan Event
	end    func()
}

// Watch gives all later events once they are durable. It closes the channel when ctx ends, when the table is closed, or when a slow
// reader would lose events: the reader must then read the state again and start a new watch.
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
