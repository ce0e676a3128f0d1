package capture

import (
	"context"

	"ios-agent/internal/network/flow"
)

// waiter is somebody who waits for a flow.
type waiter struct {
	filter flow.Filter
	found  chan flow.Flow // with room for one
}

// tell gives new flows to those who wait.
func (c *Capture) tell(flows []flow.Flow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return
	}
	for i := range flows {
		facets := flows[i].Facets()
		for w := range c.waiting {
			if w.filter.FitsFacets(&facets) {
				w.found <- flows[i]
				delete(c.waiting, w) // one is all it wants
			}
		}
	}
}

// Wait gives the first flow that fits and arrived after that number: at once if it is there, else when it comes. Nothing is looked at
// between: whoever brings flows rings. The error is that of the context when it ends first.
func (c *Capture) Wait(ctx context.Context, q flow.Filter, after int64) (flow.Flow, error) {
	q.After = max(q.After, after)
	w := &waiter{q, make(chan flow.Flow, 1)}
	c.mu.Lock()
	c.waiting[w] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, w)
		c.mu.Unlock()
	}()
	found, _, err := c.Query(ctx, q, Page{Limit: 1})
	if err != nil {
		return flow.Flow{}, err
	}
	if len(found) > 0 {
		return found[0], nil
	}
	select {
	case f := <-w.found:
		return f, nil
	case <-ctx.Done():
		return flow.Flow{}, ctx.Err()
	}
}
