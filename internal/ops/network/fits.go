package network

import (
	"context"
	"fmt"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
	"ios-agent/internal/text/brief"
)

// Fits is how many of the newest requests a pattern fits: one that was written wrong is seen before the next request goes past it.
type Fits struct {
	Fitting int `json:"fitting_requests,omitempty"`
	Of      int `json:"of_requests,omitempty"` // the newest that are kept; 0: none is
}

// String says so, after what the pattern does.
func (f Fits) String() string {
	switch {
	case f.Of == 0:
		return ""
	case f.Fitting == 0:
		return fmt.Sprintf("; of the newest %s none fits", brief.Count(f.Of, "request"))
	}
	return fmt.Sprintf("; of the newest %s %d fit", brief.Count(f.Of, "request"), f.Fitting)
}

// mostFits is how many requests are looked at.
const mostFits = 50

// fits counts the newest requests that a pattern fits. It is beside what was asked: where they cannot be read, nothing is said.
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
