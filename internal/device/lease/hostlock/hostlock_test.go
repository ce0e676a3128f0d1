package hostlock_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/lease/hostlock"
)

func TestLockIsRefusedToSecondHome(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	clock := func() time.Time { return now }
	one := hostlock.New(hostlock.Options{Dir: dir, Home: "/one", Now: clock})
	two := hostlock.New(hostlock.Options{Dir: dir, Home: "/two", Now: clock})
	until := now.Add(time.Minute)
	if err := one.Lock("D1", until); err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		var other *lease.ElsewhereError
		if err := two.Lock("D1", until); !errors.As(err, &other) || other.Home != "/one" || other.PID == 0 || !other.Until.Equal(until) {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("while the other lives")
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	refused("after its daemon was killed: the claim lasts")
	if err := one.Lock("D1", until); err != nil {
		t.Errorf("its successor has it again: %v", err)
	}
	one.Unlock("D1")
	if err := two.Lock("D1", until); err != nil {
		t.Errorf("it was given back: %v", err)
	}
	two.Close()
	now = until.Add(time.Second)
	if err := one.Lock("D1", now.Add(time.Minute)); err != nil {
		t.Errorf("the other's time is over: %v", err)
	}
	one.Close()
}

// TestLockSurvivesOnlySmallClockJumpBack: a claim of a home without a daemon does not last longer because the clock went back; nor does it
// end.
func TestLockSurvivesOnlySmallClockJumpBack(t *testing.T) {
	for back, free := range map[time.Duration]bool{time.Minute: false, 20 * time.Minute: false, 24 * time.Hour: true} {
		dir := t.TempDir()
		now := time.Now()
		clock := func() time.Time { return now }
		one := hostlock.New(hostlock.Options{Dir: dir, Home: "/one", Now: clock})
		two := hostlock.New(hostlock.Options{Dir: dir, Home: "/two", Now: clock})
		if err := one.Lock("D1", now.Add(30*time.Minute)); err != nil {
			t.Fatal(err)
		}
		one.Close()
		now = now.Add(-back)
		if err := two.Lock("D1", now.Add(time.Minute)); (err == nil) != free {
			t.Errorf("%s back: %v", back, err)
		}
		two.Close()
	}
}

// TestUnlockRemovesFileOfProcessResource: the file of a process goes with its lock.
func TestUnlockRemovesFileOfProcessResource(t *testing.T) {
	dir := t.TempDir()
	passing := func(resource string) bool { return strings.HasPrefix(resource, "pid:") }
	one := hostlock.New(hostlock.Options{Dir: dir, Home: "/one", Passing: passing})
	two := hostlock.New(hostlock.Options{Dir: dir, Home: "/two", Passing: passing})
	soon := time.Now().Add(time.Hour)
	for range 3 {
		if err := one.Lock("pid:7:abc", soon); err != nil {
			t.Fatal(err)
		}
		if err := two.Lock("pid:7:abc", soon); !errors.As(err, new(*lease.ElsewhereError)) {
			t.Fatalf("two homes have it: %v", err)
		}
		one.Unlock("pid:7:abc")
		if err := two.Lock("pid:7:abc", soon); err != nil {
			t.Fatal(err)
		}
		two.Unlock("pid:7:abc")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
