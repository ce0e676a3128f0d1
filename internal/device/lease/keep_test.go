package lease_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/lease"
)

// TestLoadedLeaseWaitsForItsLock: until its lock is there, or another home is found to have it, nobody knows whose it is,
// and its holder waits.
func TestLoadedLeaseWaitsForItsLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := lease.Lease{Resource: "elsewhere", Holder: "ada", Kind: lease.Claim, Epoch: 1, TTL: claimTime, Expires: time.Now().Add(claimTime)}
		guard := pickyGuard{gate: make(gate)}
		table := lease.NewTable(lease.Options{Journal: &memory{kept: map[string]lease.Lease{kept.Resource: kept}}, Guard: guard})
		defer table.Close()
		ctx, leave := context.WithCancel(t.Context())
		left, renewed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := table.Renew(ctx, lease.Who{Holder: "ada"}, "elsewhere"); left <- err }()
		go func() { _, err := table.Renew(t.Context(), lease.Who{Holder: "ada"}, "elsewhere"); renewed <- err }()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller left, and got %v", err)
		}
		if len(renewed) > 0 {
			t.Error("it was renewed before its lock was there")
		}
		close(guard.gate)
		var not *lease.NotHolderError
		if err := <-renewed; !errors.As(err, &not) {
			t.Errorf("another home has it: got %v, want a NotHolderError", err)
		}
	})
}

// recordingGuard notes until when a lock was wanted, each time; it answers with an error.
type recordingGuard struct {
	until chan time.Time
	err   error
}

func (g recordingGuard) Lock(_ string, until time.Time) error { g.until <- until; return g.err }
func (g recordingGuard) Unlock(string)                        {}

// TestLockIsRenewedWithItsLease: it is written again when it would end a second too early.
func TestLockIsRenewedWithItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := recordingGuard{until: make(chan time.Time, 9)}
		table := lease.NewTable(lease.Options{Guard: guard})
		defer table.Close()
		first := claim(t, table, "ada", "D1")
		if got := <-guard.until; !got.Equal(first.Expires) {
			t.Errorf("locked until %s, want %s", got, first.Expires)
		}
		for _, c := range []struct {
			after time.Duration
			locks int
		}{{time.Second - 1, 0}, {1, 1}, {time.Minute, 1}} {
			time.Sleep(c.after)
			l, err := table.Renew(t.Context(), lease.Who{Holder: "ada"}, "D1")
			synctest.Wait()
			if err != nil || len(guard.until) != c.locks {
				t.Fatalf("renewed %s later: got %v and %d locks, want %d", c.after, err, len(guard.until), c.locks)
			}
			if c.locks > 0 {
				if got := <-guard.until; !got.Equal(l.Expires) {
					t.Errorf("locked until %s, want %s", got, l.Expires)
				}
			}
		}
	})
}

// TestFailedLockIsLogged: the resource is shared with other homes then, and the log says so.
func TestFailedLockIsLogged(t *testing.T) {
	for _, err := range []error{nil, errFull} {
		var log bytes.Buffer
		guard := recordingGuard{until: make(chan time.Time, 9), err: err}
		table := lease.NewTable(lease.Options{Guard: guard, Log: slog.New(slog.NewTextHandler(&log, nil))})
		claim(t, table, "ada", "D1")
		table.Close()
		if got := strings.Contains(log.String(), "cannot lock a device against other homes"); got != (err != nil) {
			t.Errorf("the guard answers %v: the log is %q", err, log.String())
		}
	}
}

// pickyGuard blocks one resource for ever and finds another one elsewhere when its gate opens.
type pickyGuard struct {
	gate gate
	stop gate
}

func (g pickyGuard) Lock(resource string, _ time.Time) error {
	switch resource {
	case "elsewhere":
		<-g.gate
		return &lease.ElsewhereError{Resource: resource}
	case "blocked":
		<-g.stop
	}
	return nil
}

func (g pickyGuard) Unlock(string) {}

// TestAbandonedClaimFreesItsDevice: a claim of two that goes on to others keeps no lock of those it tried first.
func TestAbandonedClaimFreesItsDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := pickyGuard{make(gate), make(gate)}
		table := lease.NewTable(lease.Options{Guard: guard})
		var among atomic.Value
		among.Store([]string{"D1", "elsewhere"})
		r := request("ada")
		r.Count, r.Wait, r.Among = 2, true, func(func(string) lease.Lease) []string { return among.Load().([]string) }
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { _, err := table.Acquire(ctx, r); left <- err }()
		synctest.Wait()
		among.Store([]string{"D2", "blocked"})
		close(guard.gate)
		synctest.Wait()
		claim(t, table, "bob", "D1")
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("ada left, and got %v", err)
		}
		close(guard.stop)
		table.Close()
	})
}

// failsOnce is a journal that cannot be written once.
type failsOnce struct {
	blockedJournal
	failed atomic.Bool
}

func (j *failsOnce) Save(events []lease.Event) error {
	<-j.gate
	if !j.failed.Swap(true) {
		return errFull
	}
	return j.memory.Save(events)
}

// TestDecisionsAfterFailedWriteFail, although the next write would succeed: it may rest on what was never kept.
func TestDecisionsAfterFailedWriteFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := &failsOnce{blockedJournal: blockedJournal{gate: make(gate)}}
		table := lease.NewTable(lease.Options{Journal: journal})
		defer table.Close()
		answers := make(chan error, 2)
		for _, who := range []string{"ada", "bob"} {
			go func() { _, err := table.Acquire(t.Context(), request(who, who)); answers <- err }()
			synctest.Wait()
		}
		close(journal.gate)
		var broken *lease.JournalError
		for range 2 {
			if err := <-answers; !errors.As(err, &broken) {
				t.Errorf("got %v, want a JournalError", err)
			}
		}
		if get(t, table, "ada").Held() || get(t, table, "bob").Held() {
			t.Error("something is held that was not kept")
		}
	})
}

// countsLoads is a journal that cannot be read.
type countsLoads struct {
	memory
	loads atomic.Int32
}

func (j *countsLoads) Load() (lease.Kept, error) { j.loads.Add(1); return lease.Kept{}, errNewer }

func TestClosedTableReadsNoJournal(t *testing.T) {
	for read := range int32(2) {
		journal := &countsLoads{}
		table := lease.NewTable(lease.Options{Journal: journal})
		for range read {
			_ = table.Load(t.Context())
		}
		table.Close()
		if _, err := table.Get(t.Context(), "D1"); err == nil || journal.loads.Load() != read {
			t.Errorf("got %v and %d readings, want an error and %d", err, journal.loads.Load(), read)
		}
	}
}

// TestAmendChangesResetForHolderOnly and nobody else's.
func TestAmendChangesResetForHolderOnly(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	for _, c := range []struct {
		by, reset string
		dirty     bool
	}{{"ada", "erase", true}, {"bob", "erase", false}, {"ada", lease.NoReset, false}} {
		claim(t, table, "ada", "D1")
		if err := table.Amend(t.Context(), lease.Who{Holder: c.by}, "D1", c.reset); err != nil {
			t.Fatal(err)
		}
		l, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1")
		if err != nil || l.Dirty != c.dirty {
			t.Errorf("%s amends it to %s: got %+v and %v, want dirty %v", c.by, c.reset, l, err, c.dirty)
		}
		if err := table.Clean(t.Context(), "D1", l.Epoch); err != nil {
			t.Error(err)
		}
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := table.Amend(left, lease.Who{Holder: "ada"}, "D1", "erase"); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller left, and got %v", err)
	}
}

// TestExpireListsExpiredLeases, in its order, and leaves when it was last used.
func TestExpireListsExpiredLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{Timer: func(time.Duration, func()) func() { return func() {} }})
		defer table.Close()
		used := time.Now()
		claim(t, table, "ada", "D2")
		claim(t, table, "ada", "D1")
		if out, err := table.Expire(t.Context()); err != nil || len(out) != 0 {
			t.Errorf("got %v and %v, want nothing", out, err)
		}
		time.Sleep(claimTime)
		out, err := table.Expire(t.Context())
		if err != nil || len(out) != 2 || out[0].Resource != "D1" || out[1].Holder != "ada" {
			t.Errorf("got %+v and %v, want D1 and D2 of ada", out, err)
		}
		if l := get(t, table, "D1"); l.Held() || !l.Used.Equal(used) {
			t.Errorf("got %+v, want it free and used at %s", l, used)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := table.Expire(left); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller left, and got %v", err)
		}
	})
}

// TestOwnClaimTurnsUseIntoClaim: what was got by using it is claimed from now on; what was said of its reset stays.
func TestOwnClaimTurnsUseIntoClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := lease.NewTable(lease.Options{})
		defer table.Close()
		use, err := table.Use(t.Context(), "D1", "ada", shortTime)
		if err != nil {
			t.Fatal(err)
		}
		use.Done()
		time.Sleep(time.Minute)
		claimed := time.Now()
		for _, c := range []struct{ says, want string }{{"erase", "erase"}, {"", "erase"}, {"none", "none"}} {
			r := request("ada", "D1")
			r.Reset = c.says
			got, err := table.Acquire(t.Context(), r)
			if err != nil || !got[0].Since.Equal(claimed) || got[0].Kind != lease.Claim || got[0].Reset != c.want || got[0].TTL != claimTime {
				t.Errorf("claimed with the reset %q: got %+v and %v, want the claim since %s with %q", c.says, got, err, claimed, c.want)
			}
			time.Sleep(time.Minute)
		}
		l, err := table.Release(t.Context(), lease.Who{Holder: "ada"}, "D1")
		if err != nil || !l.Used.Equal(time.Now()) || l.Dirty {
			t.Errorf("released: got %+v and %v, want it used now and clean", l, err)
		}
	})
}

// TestUseWithZeroTTLTakesNoLease: a ttl of zero leases nothing, as long as nobody has it.
func TestUseWithZeroTTLTakesNoLease(t *testing.T) {
	table := lease.NewTable(lease.Options{})
	defer table.Close()
	use, err := table.Use(t.Context(), "D1", "ada", 0)
	if err != nil || use.Epoch() != 0 || use.Check() != nil || get(t, table, "D1").Held() || !use.MayDrive("bob") {
		t.Errorf("got %+v and %v, want a use without a lease", use, err)
	}
	claim(t, table, "bob", "D1")
	var busy *lease.BusyError
	if err := use.Check(); !errors.As(err, &busy) || use.MayDrive("ada") || !use.MayDrive("bob") {
		t.Errorf("bob has it: got %v, want a BusyError", err)
	}
	use.Done()
}

func TestBusyErrorNamesHolders(t *testing.T) {
	for want, e := range map[string]lease.BusyError{
		"no such resource exists": {},
		"D1 is held by ada, D2 is being reset, D3 is in use by the ios-agent home /other (pid 7)": {
			Held:      []lease.Lease{{Resource: "D1", Holder: "ada"}, {Resource: "D2", Dirty: true}},
			Elsewhere: []*lease.ElsewhereError{{Resource: "D3", Home: "/other", PID: 7}},
		},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
