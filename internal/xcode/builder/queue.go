package builder

import (
	"context"
	"slices"
	"sync"
)

// queue lets one build at a time use a folder of derived data, in the order of the requests. The zero value is ready.
type queue struct {
	mu    sync.Mutex
	lines map[string][]*ticket
}

type ticket struct{ moved chan struct{} }

// enter waits for its turn, and reports the number of builds before it.
func (q *queue) enter(ctx context.Context, key string, ahead func(n int)) (leave func(), err error) {
	t := &ticket{make(chan struct{}, 1)}
	q.mu.Lock()
	if q.lines == nil {
		q.lines = map[string][]*ticket{}
	}
	q.lines[key] = append(q.lines[key], t)
	q.mu.Unlock()
	leave = func() { q.leave(key, t) }
	for {
		n := q.before(key, t)
		if n == 0 {
			return leave, nil
		}
		ahead(n)
		select {
		case <-t.moved:
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
}

func (q *queue) before(key string, t *ticket) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.lines[key], t)
}

func (q *queue) leave(key string, t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := slices.DeleteFunc(q.lines[key], func(o *ticket) bool { return o == t })
	if q.lines[key] = line; len(line) == 0 {
		delete(q.lines, key)
	}
	for _, o := range line {
		select {
		case o.moved <- struct{}{}:
		default: // a notice is pending already
		}
	}
}
