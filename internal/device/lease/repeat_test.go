package lease_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"ios-agent/internal/device/lease"
)

// named is a claim with an id.
func named(id, holder string, among ...string) lease.Request {
	r := request(holder, among...)
	r.Claim = lease.ClaimID{ID: id, Wish: holder}
	return r
}

// TestRepeatedClaimReturnsSameLeases gets the same leases, whatever is better now and whichever process answers; nobody else does by its
// id, and when they have ended it gets nothing.
func TestRepeatedClaimReturnsSameLeases(t *testing.T) {
	journal := &memory{}
	table := lease.NewTable(lease.Options{Journal: journal})
	two := named("A", "ada", "D1", "D2", "D3")
	two.Count = 2
	first, err := table.Acquire(t.Context(), two)
	if err != nil {
		t.Fatal(err)
	}
	again := named("A", "ada", "D3", "D4") // what fits is not the same any more
	again.Count = 2
	same := func(when string) {
		t.Helper()
		got, err := table.Acquire(t.Context(), again)
		if err != nil || len(got) != 2 || got[0].Epoch != first[0].Epoch || got[1].Epoch != first[1].Epoch {
			t.Errorf("%s: %+v %v", when, got, err)
		}
	}
	same("at once")
	table.Close()
	table = lease.NewTable(lease.Options{Journal: journal})
	same("after a restart")
	var no *lease.RepeatError
	if _, err := table.Acquire(t.Context(), named("A", "bob", "D3")); !errors.As(err, &no) || no.Ended {
		t.Errorf("bob used ada's id: %v", err)
	}
	if _, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, first[0].Resource); err != nil {
		t.Error(err)
	}
	half := named("A", "ada", "D2", "D3") // one is left of the two: it counts once
	half.Count = 2
	if got, err := table.Acquire(t.Context(), half); err != nil || got[0].Epoch != first[1].Epoch || got[1].Resource != "D3" {
		t.Errorf("after half of it was released: got %+v and %v, want D2 as it was and D3", got, err)
	}
	for _, l := range []lease.Lease{first[1], {Resource: "D3"}} {
		if _, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, l.Resource); err != nil {
			t.Error(err)
		}
	}
	if _, err := table.Acquire(t.Context(), again); !errors.As(err, &no) || !no.Ended {
		t.Errorf("it has ended: %v", err)
	}
	table.Close()
}

// TestRepeatWaitsForFirstClaim: a caller is gone, its claim is still being served, and its repeat is there. The repeat gets what
// the first would have got, and keeps it when the first is undone.
func TestRepeatWaitsForFirstClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := blockedGuard{"D1", make(gate)}
		table := lease.NewTable(lease.Options{Guard: guard})
		ctx, leave := context.WithCancel(t.Context())
		var first, second []lease.Lease
		go func() { first, _ = table.Acquire(ctx, named("A", "ada", "D1", "D2")) }()
		synctest.Wait()
		go func() { second, _ = table.Acquire(t.Context(), named("A", "ada", "D2", "D1")) }()
		synctest.Wait()
		if second != nil {
			t.Errorf("it was answered before the first: %+v", second)
		}
		close(guard.gate)
		synctest.Wait()
		if len(first) != 1 || len(second) != 1 || second[0].Resource != "D1" || second[0].Epoch != first[0].Epoch {
			t.Fatalf("%+v, then %+v", first, second)
		}
		leave()
		if err := table.Undo(t.Context(), first[0], "why"); err != nil {
			t.Error(err)
		}
		if l := get(t, table, "D1"); l.Holder != "ada" {
			t.Errorf("the repeat was told that it has it: %+v", l)
		}
		table.Close()
	})
}

// TestUndoneClaimFreesItsResource: what was given in vain is free, and a repeat of its claim gets something again.
func TestUndoneClaimFreesItsResource(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	got, err := table.Acquire(t.Context(), named("A", "ada", "D1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Undo(t.Context(), got[0], "why"); err != nil || get(t, table, "D1").Held() {
		t.Error(err)
	}
	if _, err := table.Acquire(t.Context(), named("A", "ada", "D1")); err != nil {
		t.Fatal(err)
	}
	if own, err := table.Acquire(t.Context(), named("B", "ada", "D1")); err != nil {
		t.Error(err)
	} else if err := table.Undo(t.Context(), own[0], "why"); err != nil || !get(t, table, "D1").Held() {
		t.Errorf("undone, although it was ada's before: %v", err)
	}
	table.Close()
}

// TestOtherClaimWithWaitingIDIsRefused: a claim by another session, or for something else, is refused at once. It does not wait for the
// answer of a claim that it cannot repeat.
func TestOtherClaimWithWaitingIDIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{})
		if _, err := table.Acquire(t.Context(), request("cyd", "D1")); err != nil {
			t.Fatal(err)
		}
		var first, second []lease.Lease
		waits := named("A", "ada", "D1")
		waits.Wait = true
		go func() { first, _ = table.Acquire(t.Context(), waits) }()
		synctest.Wait()
		other := named("A", "bob", "D2")
		for _, other.Wait = range []bool{false, true} {
			var err error
			go func() { _, err = table.Acquire(t.Context(), other) }()
			synctest.Wait()
			var no *lease.RepeatError
			if !errors.As(err, &no) || no.Ended {
				t.Errorf("bob, with Wait %t: got %v while ada waits, want that the id is another claim's", other.Wait, err)
			}
		}
		go func() { second, _ = table.Acquire(t.Context(), waits) }()
		synctest.Wait()
		if first != nil || second != nil {
			t.Errorf("got %+v and %+v, want that both of ada's wait", first, second)
		}
		if _, err := table.Release(t.Context(), lease.Who{Holder: "cyd"}, "D1"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(first) != 1 || len(second) != 1 || first[0].Epoch != second[0].Epoch {
			t.Errorf("got %+v and %+v, want D1 under one lease for both of ada's", first, second)
		}
		table.Close()
	})
}

// TestMemoryOfClaimIDsIsBounded: what is remembered of ids is bounded by the devices.
func TestMemoryOfClaimIDsIsBounded(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for i := range 20_000 {
		id := fmt.Sprintf("%0200d", i)
		if _, err := table.Acquire(t.Context(), named(id, "ada", "D1")); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Acquire(t.Context(), named("not "+id, "bob", "D1")); err == nil {
			t.Fatal("got a device that ada has, want none")
		}
		if _, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1"); err != nil {
			t.Fatal(err)
		}
	}
	if after := held(); after > before+2<<20 {
		t.Errorf("after 40,000 ids: got %d KB more, want less than 2 MB", (after-before)>>10)
	}
}

// TestRepeatWaitsForLockAfterRestart: the next daemon takes the locks of the leases that it finds. A repeat of a claim waits for that of
// its device; it is given no other one.
func TestRepeatWaitsForLockAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &memory{}
		table := lease.NewTable(lease.Options{Journal: journal})
		first, err := table.Acquire(t.Context(), named("A", "ada", "D1", "D2"))
		if err != nil {
			t.Fatal(err)
		}
		table.Close()
		guard := blockedGuard{"D1", make(gate)}
		table = lease.NewTable(lease.Options{Journal: journal, Guard: guard})
		if err := table.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []lease.Lease
		go func() { got, err = table.Acquire(t.Context(), named("A", "ada", "D2", "D1")) }()
		synctest.Wait()
		if got != nil || err != nil {
			t.Errorf("got %+v, %v, want that it waits for the lock of D1", got, err)
		}
		close(guard.gate)
		synctest.Wait()
		if err != nil || len(got) != 1 || got[0].Resource != "D1" || got[0].Epoch != first[0].Epoch {
			t.Errorf("got %+v, %v, want %+v as the first", got, err, first)
		}
		table.Close()
	})
}
