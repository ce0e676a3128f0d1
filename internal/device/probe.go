package device

import "context"

// Prober checks whether a booted device can run a program: the booted state alone does not prove it. Probe changes nothing and, like
// Screenshot, runs outside the lane.
type Prober interface {
	Probe(ctx context.Context) error
}
