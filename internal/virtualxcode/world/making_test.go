package world_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

const firstUDID = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"

func TestNewWorldHasDefaultDevices(t *testing.T) {
	w := newWorld(t, world.Options{Preinstalled: builtin(t)})
	names := map[string]int{}
	for _, d := range w.Devices() {
		names[d.Name]++
		apps, err := w.Apps(d.UDID)
		if err != nil || (len(apps) > 0) != (d.Runtime.Platform == "iOS") {
			t.Errorf("%s on %s has %d apps, %v", d.Name, d.Runtime.Name(), len(apps), err)
		}
		if d.Screen.Width == 0 || !d.Runtime.Runs(d.Type) {
			t.Errorf("%s (%s) cannot be on %s", d.Name, d.Type.ID, d.Runtime.Name())
		}
	}
	if names["iPhone 16 Pro"] != 3 || len(names) != 11 || w.Devices()[0].UDID != firstUDID {
		t.Errorf("the devices are %v", names)
	}
	if p := w.Pairs(); len(p) != 1 || p[0].Phone.UDID != firstUDID || p[0].Connected {
		t.Errorf("the pairs are %+v", p)
	}
}

func TestCreateChecksTypeAndRuntime(t *testing.T) {
	w := newWorld(t, world.Options{Preinstalled: builtin(t)})
	for name, c := range map[string]struct {
		kind, runtime string
		want          string // the runtime, or the error
	}{
		"newest":         {"iPhone 15", "", "iOS 26.0"},
		"by id":          {"com.apple.CoreSimulator.SimDeviceType.iPhone-14", "com.apple.CoreSimulator.SimRuntime.iOS-16-4", "iOS 16.4"},
		"by name":        {"Apple Vision Pro", "visionOS2.5", "visionOS 2.5"},
		"no type":        {"iPhone 3G", "", "Invalid device type: iPhone 3G"},
		"no runtime":     {"iPhone 15", "iOS 3", "Invalid runtime: iOS 3"},
		"unavailable":    {"iPhone 13", "iOS 15.5", "Invalid runtime: iOS 15.5"},
		"too old":        {"iPhone 15", "iOS 16.4", "Incompatible device"},
		"other platform": {"iPhone 15", "tvOS 18.5", "Incompatible device"},
	} {
		t.Run(name, func(t *testing.T) {
			udid, err := w.Create(t.Context(), "Mine", c.kind, c.runtime)
			var refused *world.Error
			if errors.As(err, &refused) {
				if refused.Message != c.want || !errors.Is(err, world.ErrInvalidModel) {
					t.Errorf("error is %v", err)
				}
				return
			}
			if d, err := w.Find(udid); err != nil || d.Runtime.Name() != c.want || d.Name != "Mine" || d.State != world.Shutdown {
				t.Errorf("made %+v, %v", d, err)
			}
		})
	}
}

func TestCloneAndEraseRequireShutDownDevice(t *testing.T) {
	d := drive(t, world.Options{Root: t.TempDir()})
	ctx := t.Context()
	d.must(d.Install(ctx, d.udid, otherApp(t), "/tmp/Other.app"))
	d.must(d.Configure(ctx, d.udid, func(s *world.Settings) error { s.Pasteboard = "kept"; return nil }))
	home, err := d.Containers(d.udid, "com.example.other")
	d.must(err)
	d.must(os.WriteFile(filepath.Join(home.Data, "Documents/a.txt"), []byte("a"), 0o644))

	_, err = d.Clone(ctx, d.udid, "Twin")
	wantError(t, err, world.ErrWrongState, simError, 405, "Unable to clone device in current state: Booted")
	wantError(t, d.Erase(ctx, d.udid), world.ErrWrongState, simError, 405, "Unable to erase contents and settings in current state: Booted")
	d.must(d.Shutdown(ctx, d.udid))
	twin, err := d.Clone(ctx, d.udid, "Twin")
	d.must(err)
	d.must(d.Erase(ctx, d.udid))
	apps, err := d.Apps(d.udid)
	d.must(err)
	if len(apps) != len(builtin(t)) || apps[0].BundleID != shop {
		t.Errorf("after erase the apps are %+v", apps)
	}
	if s, _ := d.Settings(d.udid); s.Pasteboard != "" {
		t.Errorf("after erase the settings are %+v", s)
	}
	if _, err := os.Stat(home.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after erase the data is there: %v", err)
	}
	d.must(d.Boot(ctx, twin))
	s, err := d.Settings(twin)
	d.must(err)
	there, err := d.Containers(twin, "com.example.other")
	d.must(err)
	if s.Pasteboard != "kept" || there.Data == home.Data {
		t.Errorf("the clone has %+v, %+v", s, there)
	}
	d.must(d.Rename(ctx, twin, "Renamed"))
	if _, err := d.Find("Renamed"); err != nil {
		t.Error(err)
	}
	d.must(d.Delete(ctx, twin))
	wantError(t, d.Delete(ctx, twin), world.ErrInvalidDevice, "", 148, "Invalid device: "+twin)
	if _, err := os.Stat(there.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after delete the data is there: %v", err)
	}
}

func TestEraseRestoresUninstalledBuiltinApp(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.must(d.Uninstall(t.Context(), d.udid, shop))
	d.must(d.Uninstall(t.Context(), d.udid, shop))
	has := func() bool {
		apps, err := d.Apps(d.udid)
		d.must(err)
		return slices.ContainsFunc(apps, func(a world.InstalledApp) bool { return a.BundleID == shop })
	}
	if has() {
		t.Error("the app is still there")
	}
	d.must(d.Shutdown(t.Context(), d.udid))
	d.must(d.Erase(t.Context(), d.udid))
	if !has() {
		t.Error("erase did not bring the app back")
	}
}

func TestUnavailableDeviceDoesNotBoot(t *testing.T) {
	w := newWorld(t, world.Options{})
	d, err := w.Find("iPhone 13")
	if err != nil || d.Runtime.Unavailable == "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := w.Boot(t.Context(), d.UDID); !errors.Is(err, world.ErrWrongState) {
		t.Errorf("error is %v", err)
	}
}
