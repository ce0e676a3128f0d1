package op_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// TestJobEndsForObserversWithItsWork, not when its caller leaves with its name.
func TestJobEndsForObserversWithItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := func(ctx context.Context, c *op.Call, in driveIn) (said, error) {
			time.Sleep(2 * time.Minute)
			return drive(ctx, c, in)
		}
		jobs := &op.Jobs{After: op.JobAfter, Keep: op.JobKeep}
		w := watch(op.Options{Jobs: jobs}, named("work", work, asJob, func(s *op.Spec) { s.Timeout = time.Hour }))
		w.first.add = func(x *op.Exchange) { x.Notify(op.Notice{Kind: op.Logged, Text: "observed"}) }
		ctx, leave := context.WithCancel(t.Context())
		w.Run(ctx, "work", op.Call{Session: "a"}, nil)
		leave()
		w.want(t, "first begin", "second begin")
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		w.want(t, "first begin", "second begin", "first act", "second act", "first end", "second end")
		if x := w.second.over[0]; x.Mode != op.Job || x.Job != "job1" || x.Answer.Stdout != "drove " || x.Call.Device == nil {
			t.Errorf("got %+v", x)
		}
		w.first.add = nil
		e := w.Run(t.Context(), "job_wait", op.Call{Session: "a"}, []byte(`{"job":"job1"}`))
		if !strings.HasSuffix(e.Text(), "log: told\nlog: observed\nnet: told") {
			t.Errorf("got %s, want what the job's observer told", e.Text())
		}
	})
}

// TestRefusedJobEndsForObserversAtOnce for observers.
func TestRefusedJobEndsForObserversAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := func(ctx context.Context, _ *op.Call, _ driveIn) (said, error) { <-ctx.Done(); return said{}, ctx.Err() }
		jobs := &op.Jobs{Keep: op.JobKeep}
		w := watch(op.Options{Jobs: jobs}, named("work", work, asJob))
		for range 64 {
			w.Run(t.Context(), "work", op.Call{}, nil)
		}
		w.seen = nil
		e := w.Run(t.Context(), "work", op.Call{Session: "a"}, nil)
		w.want(t, "first begin", "second begin", "first end", "second end")
		x := w.second.over[0]
		if e.Error == nil || e.Error.Code != fault.TooMany || x.Record().Code != fault.TooMany || x.Mode != op.Job || x.Job != "" {
			t.Errorf("got %s and %+v, want %s", e.Text(), x, fault.TooMany)
		}
		jobs.CancelAll(t.Context())
		synctest.Wait()
	})
}

// TestStreamBeginsAndEndsForObservers, and they tell nothing in its answer.
func TestStreamBeginsAndEndsForObservers(t *testing.T) {
	live := op.NewLive[struct{}, said](op.Spec{Name: "live", Groups: []string{"thing"}, Summary: "Watch"},
		func(_ context.Context, c *op.Call, _ struct{}, emit func(any) error) error { return emit(said{"item"}) })
	w := watch(op.Options{}, live, named("drive", drive))
	w.first.add = func(x *op.Exchange) { x.Notify(op.Notice{Kind: op.Logged, Text: "observed"}) }
	enough := errors.New("enough")
	e := w.Stream(t.Context(), "live", op.Call{Session: "a"}, nil, func(any) error {
		w.want(t, "first begin", "second begin")
		return enough
	})
	w.want(t, "first begin", "second begin", "first end", "second end")
	if x := w.second.over[0]; x.Mode != op.Stream || x.Name != "live" || x.Answer.Error == nil || len(e.Meta.Notices) != 0 {
		t.Errorf("got %+v and %s", x, e.Text())
	}
	w.seen = nil
	w.Stream(t.Context(), "drive", op.Call{}, nil, nil)
	w.want(t, "first begin", "second begin", "first end", "second end")
}

// TestJobWaitReturnsNoticesAndStep to the call that asks for its result.
func TestJobWaitReturnsNoticesAndStep(t *testing.T) {
	w := watch(op.Options{Jobs: &op.Jobs{After: op.JobAfter, Keep: op.JobKeep}}, named("drive", drive, asJob))
	w.first.at = func(moment string, c *op.Call) {
		if moment == "act" {
			c.SetStep("s1", time.Now())
		}
	}
	w.Run(t.Context(), "drive", op.Call{Session: "a"}, nil)
	e := w.Run(t.Context(), "job_wait", op.Call{Session: "a"}, []byte(`{"job":"job1"}`))
	if e.Meta.Step != "s1" || len(e.Meta.Notices) != 6 || !strings.HasPrefix(e.Text(), "config: told\n") {
		t.Errorf("got %+v\n%s", e.Meta, e.Text())
	}
}
