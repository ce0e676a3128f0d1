package world_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

func TestNoOpTapSwallowsTaps(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.must(d.AddFault(world.Fault{Name: world.NoOpTap, Device: d.udid, Times: 2}))
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
	err := d.AddFault(world.Fault{Name: "rain"})
	for _, k := range world.KnownFaults() {
		if err == nil || !strings.Contains(err.Error(), k.Name) {
			t.Errorf("error is %v, which does not name %s", err, k.Name)
		}
	}
	if err := d.AddFault(world.Fault{Name: world.NoOpTap, Device: "nowhere"}); !errors.Is(err, world.ErrInvalidDevice) {
		t.Errorf("error is %v", err)
	}
	d.must(d.AddFault(world.Fault{Name: world.AgentCrashAfterAct}))
	taken := func(name string) bool { _, yes := d.TakeFault(d.udid, name); return yes }
	if taken(world.NoOpTap) || !taken(world.AgentCrashAfterAct) || taken(world.AgentCrashAfterAct) {
		t.Error("the fault was not there exactly once")
	}
	d.must(d.AddFault(world.Fault{Name: world.AgentCrashAfterAct}))
	d.must(d.ClearFaults(""))
	if len(d.Faults()) != 0 {
		t.Error("faults were not cleared")
	}
}

func TestABrokenStoreIsToldOf(t *testing.T) {
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

func TestManyAtOnce(t *testing.T) {
	d := drive(t, world.Options{Store: &memory{}})
	d.launch(shop)
	at := d.get("email-field").Frame.Centre()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, _ = d.Observe(t.Context(), d.udid, "", world.Wait{Stable: 1e8, Max: 1e9})
			_ = d.Tap(t.Context(), d.udid, at)
			_ = d.TypeText(t.Context(), d.udid, "a")
			_, _ = d.Scene(t.Context(), d.udid)
			_ = d.Devices()
		})
	}
	all.Wait()
	if got := d.get("email-field").Value; got != "aaaaaaaa" {
		t.Errorf("typed %q", got)
	}
}
