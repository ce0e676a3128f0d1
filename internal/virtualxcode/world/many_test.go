package world_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

func sortApps(apps []world.InstalledApp) {
	slices.SortFunc(apps, func(a, b world.InstalledApp) int { return cmp.Compare(a.BundleID, b.BundleID) })
}

// counting is a Store that knows which keys were written.
type counting struct {
	memory
	keys []string
}

func (c *counting) Save(key string, state []byte) error {
	c.keys = append(c.keys, key)
	return c.memory.Save(key, state)
}

func thousand(t testing.TB, w *world.World) (udids []string) {
	t.Helper()
	for i := range 1000 {
		udid, err := w.Create(t.Context(), fmt.Sprint("Phone ", i), "iPhone 16", "iOS 18.5")
		if err != nil {
			t.Fatal(err)
		}
		udids = append(udids, udid)
	}
	return udids
}

func TestBootSavesOneOfThousandDevices(t *testing.T) {
	store := &counting{}
	w := newWorld(t, world.Options{Store: store, Preinstalled: builtin(t)})
	udids := thousand(t, w)
	if slices.Sort(udids); len(slices.Compact(udids)) != 1000 {
		t.Fatal("two devices have one UDID")
	}
	last := udids[999]
	if _, err := w.Find(last); err != nil {
		t.Fatal(err)
	}
	store.keys = nil
	if err := w.Boot(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	if want := []string{"device-" + last, "log-" + last + "-0"}; !slices.Equal(store.keys, want) {
		t.Errorf("a boot saved %v", store.keys)
	}
	if again := newWorld(t, world.Options{Store: store}); len(again.Devices()) != len(w.Devices()) {
		t.Errorf("%d devices were restored", len(again.Devices()))
	}
}

func TestWorldServesConcurrentCallers(t *testing.T) {
	w := newWorld(t, world.Options{Store: &memory{}, Preinstalled: builtin(t)})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			udid, err := w.Create(t.Context(), fmt.Sprint(n), "iPhone 16", "")
			if err != nil {
				t.Error(err)
				return
			}
			_ = w.Boot(t.Context(), udid)
			pid, _ := w.Launch(t.Context(), udid, shop, world.LaunchOptions{})
			attached := make(chan error)
			go func() { attached <- w.Attach(t.Context(), udid, pid, discard{}, discard{}) }()
			_ = w.Print(udid, shop, "hello\n", false)
			_ = w.Log(udid, world.Entry{Message: "x"})
			_ = w.Configure(t.Context(), udid, func(s *world.Settings) error { s.Pasteboard = "x"; return nil })
			_, _ = w.Settings(udid)
			_ = w.Devices()
			_ = w.Delete(t.Context(), udid)
			if err := <-attached; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(w.Devices()); n != 13 {
		t.Errorf("%d devices are left", n)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkListAThousand(b *testing.B) {
	w, err := world.New(world.Options{Clock: world.RequestClock(noon())})
	if err != nil {
		b.Fatal(err)
	}
	thousand(b, w)
	for b.Loop() {
		w.Devices()
	}
}
