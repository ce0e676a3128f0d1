package capture

import (
	"context"

	"ios-agent/internal/network/flow"
)

// waiter is a call that waits for a flow.
type waiter struct {
	filter flow.Filter
	found  chan flow.Flow // with room for one
}

// tell hands new flows to the waiting calls.
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
				delete(c.waiting, w) // a waiter takes one flow
			}
		}
	}
}

// Wait gives the first flow that fits and arrived after that number: a stored one at once, otherwise the next that arrives. It does not
// poll: the process that brings flows calls Ring. When the context ends first, Wait returns its error.
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
