package op_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/op"
)

func TestWaitingCallReportsUntilWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []op.Event
		c := op.NewCatalogue([]op.Op{op.New(op.Spec{Name: "wait", Groups: []string{"x"}, Summary: "Wait"},
			func(_ context.Context, c *op.Call, _ op.Nothing) (op.Nothing, error) {
				over := c.Waits("a train", 10*time.Second)
				time.Sleep(5 * time.Second)
				over()
				time.Sleep(time.Minute)
				return op.Nothing{}, nil
			})}, op.Options{})
		c.Run(t.Context(), "wait", op.Call{}.WithProgress(func(e op.Event) { heard = append(heard, e) }), nil)
		if len(heard) != 3 || heard[0].Message != "waiting for a train" || heard[0].Done != 0 || heard[2].Done != 4 || heard[2].Total != 10 {
			t.Errorf("got %+v, want an event at once and two more in 5 seconds", heard)
		}
		if e := c.Run(t.Context(), "wait", op.Call{}, nil); e.Error != nil {
			t.Errorf("got %v where nobody listens, want it to wait all the same", e.Error)
		}
	})
}
