package statedb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/lease/hostlock"
	"ios-agent/internal/device/statedb"
	"ios-agent/internal/machine/store"
)

// journal is a journal and the store it writes to.
type journal struct {
	*statedb.Journal
	store *store.Store
}

func open(t testing.TB, path string) journal {
	s := store.New(store.Options{Path: path, Migrations: statedb.Migrations()})
	t.Cleanup(func() { s.Close() })
	return journal{statedb.NewJournal(statedb.JournalOptions{Store: s, EpochFile: filepath.Join(filepath.Dir(path), "epoch")}), s}
}

func request(holder string, among ...string) lease.Request {
	return lease.Request{
		Holder: holder, Kind: lease.Claim, TTL: time.Hour, Reset: "terminate",
		Among: func(func(string) lease.Lease) []string { return among },
	}
}

// TestClaimsSurviveReopen: another table on the same file knows all of it.
func TestClaimsSurviveReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state ?#%.db")
	first := open(t, path)
	table := lease.NewTable(lease.Options{Journal: first})
	want, err := table.Acquire(t.Context(), request("ada", "D1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Release(t.Context(), lease.Who{Holder: "bob"}, "D1"); err == nil {
		t.Error("bob released ada's")
	}
	if _, _, err := table.TakeOver(t.Context(), request("cyd"), "D2", "ada is gone"); err != nil {
		t.Error(err)
	}
	// No Close: a killed process closes nothing.
	second := open(t, path)
	if err := first.store.Close(); err != nil {
		t.Fatal(err)
	}
	again := lease.NewTable(lease.Options{Journal: second})
	defer again.Close()
	got := get(t, again, "D1")
	if got.Holder != "ada" || got.Epoch != want[0].Epoch || got.Reset != "terminate" ||
		!got.Since.Equal(want[0].Since) || got.TTL != time.Hour {
		t.Errorf("%+v\n%+v", got, want[0])
	}
	log, err := second.Log("D2", 10)
	if err != nil || len(log) != 1 || log[0].What != lease.TakenOver || log[0].Reason != "ada is gone" || log[0].Lease.Holder != "cyd" {
		t.Errorf("%+v %v", log, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// TestDamagedDatabaseIsSetAside, and said aloud.
func TestDamagedDatabaseIsSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	journal := open(t, path)
	table := lease.NewTable(lease.Options{Journal: journal})
	defer table.Close()
	if _, err := table.Acquire(t.Context(), request("ada", "D1")); err != nil {
		t.Error(err)
	}
	if !strings.Contains(journal.store.Notice(), "set aside") {
		t.Errorf("not said: %q", journal.store.Notice())
	}
	if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) != 1 {
		t.Error(kept)
	}
}

type asked struct {
	release  bool
	holder   string
	resource string
}

// oneHolder is what a claim and a release mean, to a checker that has never seen the table.
var oneHolder = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[string][]porcupine.Operation{}
		for _, o := range history {
			r := o.Input.(asked).resource
			by[r] = append(by[r], o)
		}
		for _, p := range by {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		holder, in, ok := state.(string), input.(asked), output.(bool)
		mine := holder == "" || holder == in.holder
		switch {
		case ok != mine:
			return false, state
		case !ok:
			return true, state
		case in.release:
			return true, ""
		}
		return true, in.holder
	},
}

// TestConcurrentClaimsAreLinearizable: whatever happens at once could have happened one after the other.
func TestConcurrentClaimsAreLinearizable(t *testing.T) {
	locks := hostlock.New(hostlock.Options{Dir: t.TempDir(), Home: "/home"})
	table := lease.NewTable(lease.Options{Journal: open(t, filepath.Join(t.TempDir(), "state.db")), Guard: locks})
	defer locks.Close()
	defer table.Close()
	const workers, each = 12, 60
	began := time.Now()
	histories := make([][]porcupine.Operation, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 7))
			for range each {
				in := asked{random.IntN(2) == 0, fmt.Sprint("s", w%6), fmt.Sprint("D", random.IntN(3))}
				called := time.Since(began).Nanoseconds()
				var err error
				if in.release {
					_, err = table.Release(t.Context(), lease.Who{Holder: in.holder}, in.resource)
				} else {
					r := request(in.holder, in.resource)
					r.Reset = ""
					_, err = table.Acquire(t.Context(), r)
				}
				var busy *lease.BusyError
				var not *lease.NotHolderError
				if err != nil && !errors.As(err, &busy) && !errors.As(err, &not) {
					t.Error(err)
				}
				done := time.Since(began).Nanoseconds()
				histories[w] = append(histories[w], porcupine.Operation{ClientId: w, Input: in, Call: called, Output: err == nil, Return: done})
			}
		})
	}
	all.Wait()
	history := slices.Concat(histories...)
	if !porcupine.CheckOperations(oneHolder, history) {
		t.Error("no order of these claims and releases explains their answers")
	}
	for i, holder := range []string{"x", "y"} { // the checker must be able to say no: two claims in a row, and no release
		at := time.Since(began).Nanoseconds() + int64(2*i)
		in := asked{false, holder, "D0"}
		history = append(history, porcupine.Operation{ClientId: workers, Input: in, Call: at, Output: true, Return: at + 1})
	}
	if porcupine.CheckOperations(oneHolder, history) {
		t.Error("the checker believes anything")
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
