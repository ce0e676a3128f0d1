//go:build macaxfake

package macax

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

func TestEventsWakeWaitersWithoutLoss(t *testing.T) {
	a, f := open(t)
	if f.observers() != 1 || int(f.registered()) != len(notifications)-1 { // the fake app refuses one, as apps do
		t.Fatalf("%d observers, %d notifications", f.observers(), f.registered())
	}
	before := a.Events()
	if err := a.Perform(t.Context(), find(t, look(t, a), "Action").Key, desktop.Press); err != nil {
		t.Fatal(err)
	}
	if err := a.Next(soon(t), before); err != nil {
		t.Fatal(err)
	}
	for i := range 100 { // none is lost
		if i%2 == 0 {
			f.title(buttonID, "x")
		} else {
			f.title(labelID, "y")
		}
	}
	for n := before; n < before+101; n++ {
		if err := a.Next(soon(t), n); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Events(); n != before+101 {
		t.Errorf("%d events", n-before)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := a.Next(ctx, a.Events()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestCloseEndsWaits: Close ends the waits for events, and waits for a running method.
func TestCloseEndsWaits(t *testing.T) {
	a, f := open(t)
	var wg sync.WaitGroup
	ended := func(err error) {
		if f, is := errors.AsType[*fault.Fault](err); !is || f.Code != fault.AppNotRunning {
			t.Error(err)
		}
	}
	wait := soon(t)
	wg.Go(func() { ended(a.Next(wait, 1<<60)) })
	wg.Go(func() {
		for {
			if _, err := a.Look(t.Context(), desktop.Limits{}); err != nil {
				ended(err)
				return
			}
			f.title(buttonID, "x")
		}
	})
	for a.Events() == 0 {
		_ = a.Next(soon(t), 0)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

// TestLooksWorkWithoutObserver: looks and actions still work, and the next look tries again.
func TestLooksWorkWithoutObserver(t *testing.T) {
	for name, errs := range map[string][2]axError{
		"it cannot be made": {axFailure, 0}, "nothing is told": {0, axNotificationUnsupports}, "no answer": {0, axCannotComplete},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := newDesktop(t, built.now)
			f.errors(0, 0, errs[0], errs[1])
			opened, err := d.Open(t.Context(), pid)
			if err != nil {
				t.Fatal(err)
			}
			a := opened.(*App)
			if err := a.Perform(t.Context(), find(t, look(t, a), "Action").Key, desktop.Press); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if err := a.Next(ctx, 0); !errors.Is(err, context.DeadlineExceeded) || f.observers() != 0 {
				t.Error(err, f.observers())
			}
			f.errors(0, 0, 0, 0)
			look(t, a)
			f.title(buttonID, "x")
			if err := a.Next(soon(t), 0); err != nil {
				t.Error(err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLooksAndActionsLeakNoObjects: after a thousand looks and actions of all kinds there are as many objects as after one. (That there are
// none in the end is checked for every test.)
func TestLooksAndActionsLeakNoObjects(t *testing.T) {
	a, f := open(t)
	ctx := t.Context()
	round := func(i int) {
		tree := look(t, a)
		if i%10 != 0 {
			return
		}
		for _, n := range tree.Windows[0].Children {
			_ = a.Perform(ctx, n.Key, desktop.Press)
			_ = a.SetNumber(ctx, n.Key, 0.5)
			_ = a.SetText(ctx, n.Key, "x")
			_ = a.Focus(ctx, n.Key)
		}
		_ = a.Type(ctx, "x")
		_ = a.Click(ctx, tree.Windows[0].Children[1].Bounds.Centre(), 1, 2)
		_ = a.Scroll(ctx, tree.Windows[0].Children[5].Bounds.Centre(), 0, 1)
		for _, bad := range []func(int32){f.hang, func(is int32) { f.trust(1 - is) }} {
			bad(1)
			_, err := a.Look(ctx, desktop.Limits{})
			if err == nil {
				t.Error("there was no error")
			}
			_ = a.Perform(ctx, tree.Windows[0].Key, desktop.Press)
			bad(0)
		}
		f.forget()
		if i%100 == 0 && !testing.Short() {
			if _, _, err := a.Capture(ctx, tree.Windows[0].Children[0].Key); err != nil {
				t.Error(err)
			}
		}
	}
	settled := func() int64 {
		f.idle() // undelivered events are objects too
		return f.live()
	}
	round(0)
	before := settled()
	rounds := 1000
	if testing.Short() {
		rounds = 101 // the race detector takes ten times as long
	}
	for i := range rounds {
		round(i)
	}
	if after := settled(); after != before {
		t.Errorf("%d objects, and %d before", after, before)
	}
	if f.made() < int64(rounds)*100 {
		t.Errorf("only %d objects were made", f.made())
	}
}
