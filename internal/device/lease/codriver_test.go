package lease_test

import (
	"errors"
	"testing"
	"time"

	"ios-agent/internal/device/lease"
)

// TestCoDriverMayUseLeaseUntilItEnds: who claims in another's name may use what it claimed, as long as that lease lasts and no longer. It
// cannot release it, and nobody else gets in.
func TestCoDriverMayUseLeaseUntilItEnds(t *testing.T) {
	journal := &memory{}
	table := lease.NewTable(lease.Options{Journal: journal})
	bulk := request("bulk", "D1")
	bulk.By = "http"
	uses := func(who string) bool {
		t.Helper()
		use, err := table.Use(t.Context(), "D1", who, time.Minute)
		var busy *lease.BusyError
		if err != nil && !errors.As(err, &busy) {
			t.Fatal(err)
		}
		if err == nil {
			err = use.Check()
			use.Done()
		}
		return err == nil
	}
	for end, how := range map[string]func() error{
		"release": func() error { _, err := table.Release(t.Context(), lease.Who{Holder: "bulk"}, "D1"); return err },
		"take-over": func() error {
			if _, _, err := table.TakeOver(t.Context(), request("eve"), "D1", "why not"); err != nil {
				return err
			}
			if uses("http") || uses("bulk") {
				t.Error("a take-over left the driving to the last holder's")
			}
			_, err := table.Release(t.Context(), lease.Who{Holder: "eve"}, "D1")
			return err
		},
	} {
		got, err := table.Acquire(t.Context(), bulk)
		if err != nil || !got[0].CoDrivers.Has("http") {
			t.Fatal(got, err)
		}
		if !uses("http") || !uses("bulk") || uses("eve") {
			t.Error("http and bulk drive it, and eve does not")
		}
		var not *lease.NotHolderError
		if _, err := table.Release(t.Context(), lease.Who{Holder: "http"}, "D1"); !errors.As(err, &not) {
			t.Errorf("a co-driver released it: %v", err)
		}
		again := lease.NewTable(lease.Options{Journal: journal.copy()})
		if l, err := again.Get(t.Context(), "D1"); err != nil || l.CoDrivers != "http" {
			t.Errorf("the next process knows %+v: %v", l, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if err := how(); err != nil {
			t.Fatal(end, err)
		}
		if _, err := table.Acquire(t.Context(), request("bulk", "D1")); err != nil || uses("http") {
			t.Errorf("after a %s http drives bulk's next lease: %v", end, err)
		}
		if _, err := table.Release(t.Context(), lease.Who{Holder: "bulk"}, "D1"); err != nil {
			t.Error(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
}

// TestNamesAreSortedAndUnique: sets of names are equal when they hold the same.
func TestNamesAreSortedAndUnique(t *testing.T) {
	set := lease.Names("").With("bob").With("ada").With("bob").With("").With("c\nd")
	if set != "ada\nbob" || !set.Has("ada") || set.Has("c") || set.Has("") || lease.Names("").Has("") {
		t.Errorf("%q", set)
	}
}
