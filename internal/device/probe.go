package device

import "context"

// Prober tells whether a booted device really works: that it says it is booted does not mean that a program can run on it.
// Probe changes nothing and, like Screenshot, goes beside the lane.
type Prober interface {
	Probe(ctx context.Context) error
}
