package world_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func TestNoOpTapSwallowsTaps(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.must(d.AddFault(flaw.Fault{Name: flaw.NoOpTap, Device: d.udid, Times: 2}))
	d.tap("email-field")
	d.tap("email-field")
	if d.get("email-field").Focused || len(d.Faults()) != 0 {
		t.Errorf("two taps were not swallowed, faults left: %v", d.Faults())
	}
	d.tap("email-field")
	if !d.get("email-field").Focused {
		t.Error("the third tap was swallowed too")
	}
}

func TestFaultsAreTakenOnce(t *testing.T) {
	d := drive(t, world.Options{})
	err := d.AddFault(flaw.Fault{Name: "rain"})
	for _, k := range flaw.Known() {
		if err == nil || !strings.Contains(err.Error(), k.Name) {
			t.Errorf("error is %v, which does not name %s", err, k.Name)
		}
	}
	if err := d.AddFault(flaw.Fault{Name: flaw.NoOpTap, Device: "nowhere"}); !errors.Is(err, world.ErrInvalidDevice) {
		t.Errorf("error is %v", err)
	}
	d.must(d.AddFault(flaw.Fault{Name: flaw.AgentCrashAfterAct}))
	taken := func(name string) bool { _, yes := d.TakeFault(d.udid, name); return yes }
	if taken(flaw.NoOpTap) || !taken(flaw.AgentCrashAfterAct) || taken(flaw.AgentCrashAfterAct) {
		t.Error("the fault was not there exactly once")
	}
	d.must(d.AddFault(flaw.Fault{Name: flaw.AgentCrashAfterAct}))
	d.must(d.ClearFaults(""))
	if len(d.Faults()) != 0 {
		t.Error("faults were not cleared")
	}
}

func TestStoreFailureIsReturned(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store})
	store.broken = errors.New("disk full")
	if _, err := d.Launch(t.Context(), d.udid, shop, world.LaunchOptions{}); !errors.Is(err, store.broken) {
		t.Errorf("launch: %v", err)
	}
	if _, err := world.New(world.Options{Store: store}); !errors.Is(err, store.broken) {
		t.Errorf("new: %v", err)
	}
}

func TestWorldIsSafeForConcurrentUse(t *testing.T) {
	d := drive(t, world.Options{Store: &memory{}})
	d.launch(shop)
	at := d.get("email-field").Frame.Centre()
	together := func(input func() error) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, _ = d.Observe(t.Context(), d.udid, "", world.Wait{Stable: 1e8, Max: 1e9})
				if err := input(); err != nil {
					t.Error(err)
				}
				_, _ = d.Scene(t.Context(), d.udid)
				_ = d.Devices()
			})
		}
		all.Wait()
	}
	together(func() error { return d.Tap(t.Context(), d.udid, at) })
	// Several taps select the text, so they come before it.
	together(func() error { return d.TypeText(t.Context(), d.udid, "a") })
	if got := d.get("email-field").Value; got != "aaaaaaaa" {
		t.Errorf("typed %q, want each of eight letters", got)
	}
}

func TestFaultHonoursTimesAndAfter(t *testing.T) {
	store := &memory{}
	w := newWorld(t, world.Options{Store: store})
	udid := w.Devices()[0].UDID
	pattern := func(f flaw.Fault) string {
		t.Helper()
		if err := w.AddFault(f); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for range 8 {
			mark := "."
			if _, yes := w.TakeFault(udid, f.Name); yes {
				mark = "x"
			}
			b.WriteString(mark)
		}
		return b.String()
	}
	for want, f := range map[string]flaw.Fault{
		"x.......": {Name: flaw.StaleTree},
		"xxx.....": {Name: flaw.EmptyTree, Times: 3},
		"..xx....": {Name: flaw.DeepTree, Times: 2, After: 2},
		"xxxxxxxx": {Name: flaw.HugeTree, Times: flaw.Forever},
		"........": {Name: flaw.NoOpTap, Device: w.Devices()[1].UDID},
	} {
		if got := pattern(f); got != want {
			t.Errorf("%+v happens %s, want %s", f, got, want)
		}
	}
	again := newWorld(t, world.Options{Store: store})
	if left := again.Faults(); len(left) != 2 {
		t.Errorf("after a restart there are %v", left)
	}
	if err := again.ClearFaults(flaw.HugeTree); err != nil || len(again.Faults()) != 1 {
		t.Errorf("after clearing one there are %v, %v", again.Faults(), err)
	}
	for _, f := range []flaw.Fault{{Name: flaw.NoOpTap, Times: -2}, {Name: flaw.NoOpTap, After: -1}} {
		if err := w.AddFault(f); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}
