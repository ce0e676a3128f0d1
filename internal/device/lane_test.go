package device_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"ios-agent/internal/device"
)

// TestLaneRunsCallersInOrder: callers run one at a time, in the order they came.
func TestLaneRunsCallersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := device.NewLane()
		hold := make(chan struct{})
		go lane.Do(t.Context(), func() error { <-hold; return nil })
		synctest.Wait()
		var order []int
		inside := false
		for i := range 20 {
			go func() {
				err := lane.Do(t.Context(), func() error {
					if inside {
						t.Error("two at once")
					}
					inside = true
					order = append(order, i)
					inside = false
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		close(hold)
		synctest.Wait()
		if len(order) != 20 || !slices.IsSorted(order) {
			t.Error(order)
		}
	})
}

// TestCancelledCallerLeavesLane: a caller whose ctx ends leaves the lane, does not run, and holds up nobody.
func TestCancelledCallerLeavesLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := device.NewLane()
		hold := make(chan struct{})
		go lane.Do(t.Context(), func() error { <-hold; return nil })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		var left error
		go func() { left = lane.Do(ctx, func() error { t.Error("it ran"); return nil }) }()
		ran := false
		synctest.Wait()
		go lane.Do(t.Context(), func() error { ran = true; return nil })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(left, context.Canceled) {
			t.Error(left)
		}
		close(hold)
		synctest.Wait()
		if !ran {
			t.Error("who came after the one that left did not run")
		}
		for range 100 { // a free lane, and a ctx that has ended: a coin must not decide
			if err := lane.Do(ctx, func() error { t.Error("it ran"); return nil }); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
}

// TestLaneIsFreeAfterError: what fn returns is returned, and the lane is free again.
func TestLaneIsFreeAfterError(t *testing.T) {
	lane, no := device.NewLane(), errors.New("no")
	if err := lane.Do(t.Context(), func() error { return no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if err := lane.Do(t.Context(), func() error { return nil }); err != nil {
		t.Error(err)
	}
}
