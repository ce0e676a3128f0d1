package proxy

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// Limits: the flows that a process keeps in memory, and the flows in one reply.
const (
	mostRecent = 4096
	mostTold   = 1000
)

// recent are the last flows. It answers which requests a device made just now: the store gets flows later, and in a flood much later.
type recent struct {
	mu    sync.Mutex
	place map[string]int // index in ring, by id
	ring  []flow.Facets
	next  int // index in ring
}

// Tell records the current state of a flow.
func (r *recent) Tell(f flow.Flow) {
	facets := f.Facets()
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, known := r.place[f.ID]; known {
		r.ring[at] = facets
		return
	}
	if r.ring == nil {
		r.ring, r.place = make([]flow.Facets, mostRecent), map[string]int{}
	}
	delete(r.place, r.ring[r.next].ID)
	r.ring[r.next], r.place[f.ID] = facets, r.next
	r.next = (r.next + 1) % mostRecent
}

// Span is a time span of a device; without To it lasts until now.
type Span struct {
	Device string    `json:"device"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to,omitzero"`
}

// in are the flows that a device began in a span, the oldest first; beyond mostTold only the newest.
func (r *recent) in(s Span) (out []flow.Facets) {
	asked := flow.Filter{Device: s.Device, Since: s.From, Until: s.To, After: -1}
	r.mu.Lock()
	for i := range r.ring {
		if f := &r.ring[i]; f.ID != "" && asked.FitsFacets(f) {
			out = append(out, *f)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(out, func(a, b flow.Facets) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	return out[max(0, len(out)-mostTold):]
}

// both passes flows to two Tellers.
type both struct{ first, second flow.Teller }

func (b both) Tell(f flow.Flow) {
	b.first.Tell(f)
	b.second.Tell(f)
}

// Recent are the flows that a device began in a span, as far as the running process has them in memory: the last thousands. Without a
// process the list is empty.
func (c *Controller) Recent(ctx context.Context, s Span) ([]flow.Facets, error) {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l == nil {
		return nil, nil
	}
	said, err := l.ask(ctx, command{Do: doRecent, Span: &s})
	return said.Recent, err
}
