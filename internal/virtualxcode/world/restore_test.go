package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// picture is all that can be seen of a world from outside.
type picture struct {
	Devices  []world.Device
	Settings []world.Settings
	Apps     [][]world.InstalledApp
	Fronts   []string
	Logs     [][]world.Entry
	Pairs    []world.Pair
	Faults   []flaw.Fault
	Host     string
}

func look(t *testing.T, w *world.World) (p picture) {
	t.Helper()
	p = picture{Devices: w.Devices(), Pairs: w.Pairs(), Faults: w.Faults(), Host: w.HostPasteboard()}
	for _, d := range p.Devices {
		s, err1 := w.Settings(d.UDID)
		apps, err2 := w.Apps(d.UDID)
		logs, _, _, err3 := w.Logs(d.UDID, 0)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		front, _ := w.Foreground(d.UDID)
		p.Settings, p.Apps, p.Fronts, p.Logs = append(p.Settings, s), append(p.Apps, apps), append(p.Fronts, front), append(p.Logs, logs)
	}
	return p
}

// operations are what the property test does at random; refusals are part of it.
func operations(t *testing.T) []func(context.Context, *world.World, string, *rand.Rand) {
	other := otherApp(t)
	return []func(context.Context, *world.World, string, *rand.Rand){
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Boot(ctx, u) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Boot(ctx, u) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Shutdown(ctx, u) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Erase(ctx, u) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Delete(ctx, u) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _, _ = w.Clone(ctx, u, "Clone") },
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_, _ = w.Create(ctx, fmt.Sprint("Made ", r.IntN(9)), "iPhone 16", "")
		},
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.Rename(ctx, u, fmt.Sprint("N", r.IntN(9)))
		},
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Install(ctx, u, other, "/x") },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Uninstall(ctx, u, other.ID) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Uninstall(ctx, u, shop) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) {
			_, _ = w.Launch(ctx, u, shop, world.LaunchOptions{})
		},
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) { _ = w.Terminate(ctx, u, shop) },
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) {
			_ = w.OpenURL(ctx, u, "https://example.com")
		},
		func(ctx context.Context, w *world.World, u string, _ *rand.Rand) {
			_ = w.SendPush(ctx, u, shop, `{"aps":{}}`)
		},
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.SetPrivacy(ctx, u, shop, []string{world.Granted, world.Denied, ""}[r.IntN(3)], "photos")
		},
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.Configure(ctx, u, func(s *world.Settings) error {
				s.Pasteboard, s.Appearance = fmt.Sprint(r.Int()), "dark"
				s.StatusBar = map[string]string{"time": "9:41"}
				s.Location = world.Location{Set: true, Latitude: 1}
				return nil
			})
		},
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.Rotate(ctx, u, world.Orientations()[r.IntN(4)])
			_ = w.SetProxy(ctx, u, fmt.Sprintf("http://127.0.0.1:%d", r.IntN(9)))
		},
		func(ctx context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.Tap(ctx, u, world.Point{X: r.Float64() * 400, Y: r.Float64() * 850})
		},
		func(_ context.Context, w *world.World, u string, r *rand.Rand) {
			for range r.IntN(100) {
				_ = w.Log(u, world.Entry{Process: "Shop", Message: fmt.Sprint(r.Int())})
			}
		},
		func(ctx context.Context, w *world.World, _ string, r *rand.Rand) {
			_ = w.Sleep(ctx, time.Duration(r.IntN(3))*time.Second)
		},
		func(_ context.Context, w *world.World, u string, r *rand.Rand) {
			_ = w.SetHostPasteboard(fmt.Sprint(r.Int()))
			_ = w.AddFault(flaw.Fault{Name: flaw.LaunchFails, Device: u})
		},
	}
}

func TestRestoredStateEqualsTheSavedState(t *testing.T) {
	all := operations(t)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		store, clock := &memory{}, world.RequestClock(noon())
		w := newWorld(t, world.Options{Clock: clock, Store: store, Preinstalled: builtin(t)})
		for range 150 {
			devices := w.Devices()
			if len(devices) == 0 {
				break
			}
			u := devices[min(r.IntN(len(devices)), r.IntN(len(devices)))].UDID // some more than others
			all[r.IntN(len(all))](t.Context(), w, u, r)
		}
		again := newWorld(t, world.Options{Clock: clock, Store: store, Preinstalled: builtin(t)})
		before, after := look(t, w), look(t, again)
		for i := range before.Devices {
			if i < len(after.Apps) { // preinstalled apps come after the others in a restored world
				sortApps(before.Apps[i])
				sortApps(after.Apps[i])
			}
		}
		compare(t, seed, before, after)
	}
}

// compare compares as JSON, in which nothing and an empty list of things in memory are the same.
func compare(t *testing.T, seed uint64, before, after picture) {
	t.Helper()
	had, has := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range had.NumField() {
		one, err1 := json.Marshal(had.Field(i).Interface())
		other, err2 := json.Marshal(has.Field(i).Interface())
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if a, b := strings.ReplaceAll(string(one), "null", "[]"), strings.ReplaceAll(string(other), "null", "[]"); a != b {
			t.Fatalf("seed %d: %s before\n%s\nafter\n%s", seed, had.Type().Field(i).Name, a, b)
		}
	}
}
