package device

import (
	"context"
	"fmt"
)

// Lane lets one caller at a time use a device, in the order of their calls.
type Lane struct{ slot chan struct{} }

// NewLane makes a free lane.
func NewLane() *Lane { return &Lane{slot: make(chan struct{}, 1)} }

// Do runs fn in its turn, or gives up if ctx ends first. It never runs fn after the end of ctx.
func (l *Lane) Do(ctx context.Context, fn func() error) error {
	select {
	case l.slot <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("waiting for the device's other caller: %w", ctx.Err())
	}
	defer func() { <-l.slot }()
	if ctx.Err() != nil { // both happened at once
		return fmt.Errorf("waiting for the device's other caller: %w", ctx.Err())
	}
	return fn()
}
