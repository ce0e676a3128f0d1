// Package feed is a bounded memory of events that many readers read by cursor, each at its own pace, without holding up the writer. Ring is
// its type; NewRing makes one. Ring counts the items that a slow reader missed, and the reader's page says how many.
package feed

import (
	"context"
	"strconv"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Ring keeps the last items. It is safe for concurrent use.
type Ring[Item any] struct {
	mu    sync.Mutex
	items []Item
	first int // number of the oldest item in items; the first item ever has the number 1
	most  int
	more  chan struct{} // closed when an item arrives
}

// NewRing makes a Ring for the given maximum number of items.
func NewRing[Item any](most int) *Ring[Item] {
	return &Ring[Item]{first: 1, most: most, more: make(chan struct{})}
}

// Add appends an item and wakes all waiting readers.
func (r *Ring[Item]) Add(item Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = append(r.items, item)
	if drop := len(r.items) - r.most; drop > 0 {
		clear(r.items[:drop])    // so that the garbage collector can free their values
		r.items = r.items[drop:] // append moves the items when the capacity behind them is used up
		r.first += drop
	}
	close(r.more)
	r.more = make(chan struct{})
}

// Read returns the matching items after a cursor; see op.Source for when it waits.
func (r *Ring[Item]) Read(ctx context.Context, at op.Cursor, matches func(Item) bool) (op.Page[Item], error) {
	after, err := r.position(at.After)
	if err != nil {
		return op.Page[Item]{}, err
	}
	deadline := time.After(at.Wait)
	lost := 0
	for {
		page, more := r.page(after, at.Most, matches)
		if lost += page.Lost; len(page.Items) > 0 || at.Wait <= 0 {
			page.Lost = lost
			return page, nil
		}
		if after, err = r.position(page.Cursor); err != nil {
			return page, err
		}
		select {
		case <-more:
		case <-deadline:
			return page, nil
		case <-ctx.Done():
			return page, nil // a reader that leaves is not a failure
		}
	}
}

// position returns the number of the last item before a cursor; an empty cursor means now.
func (r *Ring[Item]) position(cursor string) (int, error) {
	if cursor == "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.first + len(r.items) - 1, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidInput, "%q is not a cursor", cursor).With("field", "cursor").
			WithHint("use the cursor of the page before, or none")
	}
	return n, nil
}

func (r *Ring[Item]) page(after, most int, matches func(Item) bool) (op.Page[Item], <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	page := op.Page[Item]{Items: []Item{}}
	if after > 0 { // a reader that starts at Beginning has not missed any item
		page.Lost = max(0, r.first-1-after)
	}
	next := max(after+1, r.first)
	for ; next < r.first+len(r.items) && len(page.Items) < most; next++ {
		if item := r.items[next-r.first]; matches(item) {
			page.Items = append(page.Items, item)
		}
	}
	page.Cursor = strconv.Itoa(next - 1)
	return page, r.more
}
