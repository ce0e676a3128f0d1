package lease_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/lease"
)

func claim(t *testing.T, table *lease.Table, holder string, among ...string) lease.Lease {
	t.Helper()
	got, err := table.Acquire(t.Context(), request(holder, among...))
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

// TestLeaseExpiryUsesMonotonicClock: while a process lives, a jump of the wall clock ends no lease.
func TestLeaseExpiryUsesMonotonicClock(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	claim(t, table, "ada", "D1")
	if _, err := table.Renew(t.Context(), lease.Who{Holder: "ada"}, "D1"); err != nil {
		t.Error(err)
	}
	use, err := table.Use(t.Context(), "D1", "ada", shortTime)
	if err != nil {
		t.Fatal(err)
	}
	use.Done()
	if l := get(t, table, "D1"); !strings.Contains(l.Expires.String(), " m=") {
		t.Errorf("it ends at %s of the wall clock", l.Expires)
	}
}

func TestSecondAcquireRenewsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{})
		first := claim(t, table, "ada", "D1", "D2")
		time.Sleep(time.Minute)
		again := claim(t, table, "ada", "D1", "D2")
		if again.Resource != "D1" || again.Epoch != first.Epoch || !again.Expires.Equal(first.Expires.Add(time.Minute)) {
			t.Errorf("%+v, then %+v", first, again)
		}
		table.Close()
	})
}

// TestAcquireTakesAllOrNothing: whoever needs three gets three, or leaves none behind.
func TestAcquireTakesAllOrNothing(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	claim(t, table, "bob", "D2")
	r := request("ada", "D1", "D2", "D3")
	r.Count = 3
	var busy *lease.BusyError
	if _, err := table.Acquire(t.Context(), r); !errors.As(err, &busy) || busy.Held[0].Holder != "bob" {
		t.Error(err)
	}
	if get(t, table, "D1").Held() || get(t, table, "D3").Held() {
		t.Error("something was taken")
	}
	if _, err := table.Release(t.Context(), lease.Who{Holder: "bob"}, "D2"); err != nil {
		t.Error(err)
	}
	if got, err := table.Acquire(t.Context(), r); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
	table.Close()
}

// TestAcquireSkipsResourceOfOtherHome: when another home has one of three, the locks of the other two are given back, and a resource that
// will do as well is tried instead.
func TestAcquireSkipsResourceOfOtherHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := &homes{now: time.Now, locks: map[string]owned{"D2": {other: true, live: true}}, calls: map[string]int{}}
		table := lease.NewTable(lease.Options{Guard: process{locks, 0}})
		defer table.Close()
		r := request("ada", "D1", "D2", "D3")
		r.Count = 3
		var busy *lease.BusyError
		if _, err := table.Acquire(t.Context(), r); !errors.As(err, &busy) || len(busy.Elsewhere) != 1 || busy.Elsewhere[0].Resource != "D2" {
			t.Error(err)
		}
		synctest.Wait()
		if locks.ours("D1") || locks.ours("D3") || get(t, table, "D1").Held() {
			t.Error("something stayed locked")
		}
		r.Count = 2
		if got, err := table.Acquire(t.Context(), r); err != nil || got[0].Resource != "D1" || got[1].Resource != "D3" || !locks.ours("D3") {
			t.Error(got, err)
		}
	})
}

// unreadable is a journal of a newer program, or on a disk that cannot be read, until it can be.
type unreadable struct {
	memory
	mended atomic.Bool
}

var errNewer = errors.New("written by a newer program")

func (j *unreadable) Load() (lease.Kept, error) {
	if !j.mended.Load() {
		return lease.Kept{}, errNewer
	}
	return j.memory.Load()
}

// TestUnreadableLeasesBlockAllClaims: nobody is given anything, and nothing is written over them. When they can be read, they
// are.
func TestUnreadableLeasesBlockAllClaims(t *testing.T) {
	journal := &unreadable{}
	table := lease.NewTable(lease.Options{Journal: journal})
	var unknown *lease.StateError
	_, acquired := table.Acquire(t.Context(), request("ada", "D1"))
	_, used := table.Use(t.Context(), "D1", "ada", shortTime)
	_, _, taken := table.TakeOver(t.Context(), request("ada"), "D1", "why")
	_, looked := table.Get(t.Context(), "D1")
	for _, err := range []error{acquired, used, taken, looked} {
		if !errors.As(err, &unknown) || !errors.Is(err, errNewer) {
			t.Error(err)
		}
	}
	if journal.saves != 0 {
		t.Error("something was written")
	}
	journal.kept = map[string]lease.Lease{"D1": {Resource: "D1", Holder: "bob", TTL: claimTime, Expires: time.Now().Add(claimTime)}}
	journal.mended.Store(true)
	if l := get(t, table, "D1"); l.Holder != "bob" {
		t.Errorf("it can be read now, and nobody does: %+v", l)
	}
	table.Close()
}

// TestWaitersAreServedInOrder: a newcomer cannot overtake those who wait, however often it asks.
func TestWaitersAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{})
		defer table.Close()
		claim(t, table, "holder", "D1")
		var order []string
		for i := range 20 {
			go func() {
				r := request(fmt.Sprint(i), "D1")
				r.Wait = true
				if _, err := table.Acquire(t.Context(), r); err != nil {
					t.Error(err)
				}
				order = append(order, r.Holder) // one at a time: that is what a lease is
				if _, err := table.Acquire(t.Context(), request("newcomer", "D1")); err == nil {
					t.Error("the newcomer got it")
				}
				if _, err := table.Release(t.Context(), lease.Who{Holder: r.Holder}, "D1"); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		if _, err := table.Release(t.Context(), lease.Who{Holder: "holder"}, "D1"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		byNumber := func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }
		if len(order) != 20 || !slices.IsSortedFunc(order, byNumber) {
			t.Error(order)
		}
	})
}

// TestWaitersWakeWhenResourceIsFree: whoever waits is woken by a release, an expiry, a take-over's end, and by a change outside.
func TestWaitersWakeWhenResourceIsFree(t *testing.T) {
	for name, wake := range map[string]func(*testing.T, *lease.Table, func()){
		"release": func(t *testing.T, table *lease.Table, _ func()) {
			_, _ = table.Release(t.Context(), lease.Who{Holder: "holder"}, "D1")
		},
		"expiry":  func(*testing.T, *lease.Table, func()) { time.Sleep(claimTime) },
		"outside": func(_ *testing.T, table *lease.Table, more func()) { more(); table.Poke() },
	} {
		synctest.Test(t, func(t *testing.T) {
			table := lease.NewTable(lease.Options{})
			defer table.Close()
			claim(t, table, "holder", "D1")
			among := []string{"D1"}
			r := request("ada")
			r.Wait, r.Among = true, func(func(string) lease.Lease) []string { return among }
			var done atomic.Bool
			go func() { _, err := table.Acquire(t.Context(), r); done.Store(err == nil) }()
			synctest.Wait()
			if done.Load() {
				t.Errorf("%s: it did not wait", name)
			}
			wake(t, table, func() { among = []string{"D1", "D2"} })
			synctest.Wait()
			if !done.Load() || table.Waiting() != 0 {
				t.Errorf("%s: nobody was woken", name)
			}
		})
	}
}

// TestCancelledWaiterLeavesQueue: who stops waiting leaves nothing behind and holds up nobody.
func TestCancelledWaiterLeavesQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{})
		defer table.Close()
		claim(t, table, "holder", "D1")
		ctx, leave := context.WithCancel(t.Context())
		var left error
		r := request("ada", "D1")
		r.Wait = true
		go func() { _, left = table.Acquire(ctx, r) }()
		synctest.Wait()
		leave()
		synctest.Wait()
		if !errors.Is(left, context.Canceled) || table.Waiting() != 0 {
			t.Error(left, table.Waiting())
		}
		_, _ = table.Release(t.Context(), lease.Who{Holder: "holder"}, "D1")
		claim(t, table, "bob", "D1")
	})
}

// TestQueuedUseFailsAfterTakeOver: a command that waited while its device was taken over does not run.
func TestQueuedUseFailsAfterTakeOver(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	claim(t, table, "ada", "D1")
	queued, err := table.Use(t.Context(), "D1", "ada", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, before, err := table.TakeOver(t.Context(), request("bob"), "D1", "ada is gone"); err != nil || before.Holder != "ada" {
		t.Error(before, err)
	}
	var busy *lease.BusyError
	if err := queued.Check(); !errors.As(err, &busy) || busy.Held[0].Holder != "bob" {
		t.Error(err)
	}
	if _, _, err := table.TakeOver(t.Context(), request("ada"), "D1", "no, I am here"); err != nil {
		t.Error(err)
	}
	var lost *lease.LostError
	if err := queued.Check(); !errors.As(err, &lost) {
		t.Errorf("ada has it again, but the command is of her lease before: %v", err)
	}
	queued.Done()
}

// TestFailingJournalRefusesClaimButNotUse: a claim that cannot be kept is not given; a command goes on.
func TestFailingJournalRefusesClaimButNotUse(t *testing.T) {
	journal := &memory{}
	table := lease.NewTable(lease.Options{Journal: journal})
	claim(t, table, "ada", "D1")
	journal.fail(errFull)
	var broken *lease.JournalError
	if _, err := table.Acquire(t.Context(), request("bob", "D2")); !errors.As(err, &broken) || !errors.Is(err, errFull) {
		t.Error(err)
	}
	if _, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1"); !errors.As(err, &broken) {
		t.Error(err)
	}
	if get(t, table, "D1").Holder != "ada" || get(t, table, "D2").Held() {
		t.Error("the table believes what the journal does not know")
	}
	use, err := table.Use(t.Context(), "D3", "bob", shortTime)
	if err != nil || use.Check() != nil {
		t.Errorf("a broken pool must not keep a command from its device: %v", err)
	}
	if _, err := table.Use(t.Context(), "D3", "ada", shortTime); err == nil {
		t.Error("and still no two may drive it")
	}
	journal.fail(nil)
	use.Done()
	claim(t, table, "bob", "D2")
	table.Close()
}

// TestConcurrentClaimsAreAllJournaled: callers that come together do not each wait for a disk of their own.
func TestConcurrentClaimsAreAllJournaled(t *testing.T) {
	journal := &memory{}
	table := lease.NewTable(lease.Options{Journal: journal})
	var all sync.WaitGroup
	const n = 1000
	for i := range n {
		all.Go(func() {
			name := fmt.Sprint(i)
			if _, err := table.Acquire(t.Context(), request(name, name)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	table.Close()
	if len(journal.events) != n || journal.saves > n {
		t.Errorf("%d events in %d writes", len(journal.events), journal.saves)
	}
}

// TestWatchSendsDurableEventsInOrder: what is told has become durable, in order, and a reader that sleeps is told so.
func TestWatchSendsDurableEventsInOrder(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	ctx, stop := context.WithCancel(t.Context())
	events := table.Watch(ctx)
	claim(t, table, "ada", "D1")
	_, _ = table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1")
	if a, b := <-events, <-events; a.What != lease.Claimed || b.What != lease.Released || b.From != "ada" || b.Lease.Epoch != a.Lease.Epoch {
		t.Error(a, b)
	}
	stop()
	if _, open := <-events; open {
		t.Error("still open")
	}
	asleep := table.Watch(t.Context())
	for range 2000 {
		claim(t, table, "ada", "D1")
	}
	n := 0
	for range asleep {
		n++
	}
	if n == 0 || n >= 2000 {
		t.Errorf("%d events, and no end", n)
	}
}

// TestReleasedResourceIsUnusableUntilReset: what is to be reset is nobody's until it has been, crash or no crash.
func TestReleasedResourceIsUnusableUntilReset(t *testing.T) {
	journal := &memory{}
	table := lease.NewTable(lease.Options{Journal: journal})
	r := request("ada", "D1")
	r.Reset = "erase"
	if _, err := table.Acquire(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	l, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1")
	if err != nil || !l.Dirty {
		t.Error(l, err)
	}
	table.Close()
	table = lease.NewTable(lease.Options{Journal: journal})
	defer table.Close()
	if _, err := table.Acquire(t.Context(), request("bob", "D1")); err == nil {
		t.Error("handed out as it was left")
	}
	if err := table.Clean(t.Context(), "D1", l.Epoch); err != nil {
		t.Error(err)
	}
	if got := claim(t, table, "bob", "D1"); got.Epoch <= l.Epoch || got.Reset != "" {
		t.Error(got)
	}
}
