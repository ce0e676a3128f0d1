package lease_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/lease"
)

// gate stands in a guard's or a journal's way until it is opened.
type gate chan struct{}

// blockedGuard locks at once what it is asked for, but for one resource.
type blockedGuard struct {
	resource string
	gate     gate
}

func (g blockedGuard) Lock(resource string, _ time.Time) error {
	if resource == g.resource {
		<-g.gate
	}
	return nil
}

func (g blockedGuard) Unlock(resource string) {
	if resource == g.resource {
		<-g.gate
	}
}

// blockedJournal saves when its gate is open.
type blockedJournal struct {
	memory
	gate gate
}

func (j *blockedJournal) Save(events []lease.Event) error {
	<-j.gate
	return j.memory.Save(events)
}

// TestBlockedLockDoesNotDelayOtherResources: while the lock file of one resource hangs, the others are claimed, listed and given
// back, and whoever waits for the one that hangs leaves when its ctx ends.
func TestBlockedLockDoesNotDelayOtherResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := blockedGuard{"D1", make(gate)}
		table := lease.NewTable(lease.Options{Guard: guard})
		ctx, cancel := context.WithCancel(t.Context())
		var stuck error
		go func() { _, stuck = table.Acquire(ctx, request("ada", "D1")) }()
		synctest.Wait()
		others := make(chan struct{})
		go func() {
			defer close(others)
			claim(t, table, "bob", "D2")
			if l := get(t, table, "D2"); l.Holder != "bob" {
				t.Error(l)
			}
			if _, err := table.Release(t.Context(), lease.Who{Holder: "bob"}, "D2"); err != nil {
				t.Error(err)
			}
		}()
		select {
		case <-others:
		case <-time.After(time.Minute):
			t.Error("a lock of D1 that hangs delays D2")
		}
		cancel()
		synctest.Wait()
		if !errors.Is(stuck, context.Canceled) {
			t.Errorf("the caller left, and got %v", stuck)
		}
		close(guard.gate)
		<-others
		synctest.Wait()
		claim(t, table, "cyd", "D1")
		table.Close()
	})
}

// TestBlockedJournalDoesNotDelayReaders: while nothing can be written, what is known can be read, and every caller leaves when
// its ctx ends.
func TestBlockedJournalDoesNotDelayReaders(t *testing.T) {
	calls := map[string]func(ctx context.Context, table *lease.Table) error{
		"acquire": func(ctx context.Context, table *lease.Table) error {
			_, err := table.Acquire(ctx, request("bob", "D2"))
			return err
		},
		"renew": func(ctx context.Context, table *lease.Table) error {
			_, err := table.Renew(ctx, lease.Who{Holder: "ada"}, "D1")
			return err
		},
		"release": func(ctx context.Context, table *lease.Table) error {
			_, err := table.Release(ctx, lease.Who{Holder: "ada"}, "D1")
			return err
		},
		"take over": func(ctx context.Context, table *lease.Table) error {
			_, _, err := table.TakeOver(ctx, request("bob"), "D1", "why")
			return err
		},
		"clean": func(ctx context.Context, table *lease.Table) error { return table.Clean(ctx, "D3", 2) },
		"use": func(ctx context.Context, table *lease.Table) error {
			_, err := table.Use(ctx, "D2", "bob", shortTime)
			return err
		},
	}
	for name, call := range calls {
		synctest.Test(t, func(t *testing.T) {
			journal := &blockedJournal{gate: make(gate)}
			journal.kept = map[string]lease.Lease{
				"D1": {Resource: "D1", Holder: "ada", Kind: lease.Claim, Epoch: 1, TTL: claimTime, Expires: time.Now().Add(claimTime)},
				"D3": {Resource: "D3", Epoch: 2, Reset: "erase", Dirty: true},
			}
			table := lease.NewTable(lease.Options{Journal: journal})
			ctx, cancel := context.WithCancel(t.Context())
			answered := make(chan error, 1)
			go func() { answered <- call(ctx, table) }()
			synctest.Wait()
			if l := get(t, table, "D9"); l.Held() {
				t.Error(l)
			}
			cancel()
			synctest.Wait()
			select {
			case err := <-answered:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s: the caller left, and got %v", name, err)
				}
			default:
				t.Errorf("%s does not end with its ctx", name)
			}
			close(journal.gate)
			synctest.Wait()
			if name == "acquire" || name == "use" {
				if l := get(t, table, "D2"); l.Held() {
					t.Errorf("%s: the caller left, and its lease stays: %+v", name, l)
				}
			}
			table.Close()
		})
	}
}

func get(t *testing.T, table *lease.Table, resource string) lease.Lease {
	t.Helper()
	l, err := table.Get(t.Context(), resource)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
