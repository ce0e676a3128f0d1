package network

import (
	"context"
	"fmt"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
	"ios-agent/internal/text/brief"
)

// Fits counts the newest requests that match a pattern. It shows a wrong pattern at once, before the next request is missed.
type Fits struct {
	Fitting int `json:"fitting_requests,omitempty"`
	Of      int `json:"of_requests,omitempty"` // number of requests checked; 0: no requests yet
}

// String is the count, to append to a description of the pattern.
func (f Fits) String() string {
	switch {
	case f.Of == 0:
		return ""
	case f.Fitting == 0:
		return fmt.Sprintf("; it matches none of the newest %s", brief.Count(f.Of, "request"))
	}
	return fmt.Sprintf("; it matches %d of the newest %s", f.Fitting, brief.Count(f.Of, "request"))
}

// mostFits is the number of requests to check.
const mostFits = 50

// fits counts the newest requests that match a pattern. The count is an extra: if the requests cannot be read, the answer lacks it.
func (n *Network) fits(ctx context.Context, p *pattern.Pattern) (f Fits) {
	if n.d.Services.Settled(ctx) != nil {
		return f
	}
	_ = n.newest(ctx, flow.Filter{}, func(one *flow.Flow) bool {
		if p.Match(one) {
			f.Fitting++
		}
		f.Of++
		return f.Of < mostFits
	})
	return f
}
