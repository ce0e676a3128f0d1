package world_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func TestLogIsBoundedAndRestored(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store})
	for i := range 1500 {
		d.must(d.Log(d.udid, world.Entry{Process: "Shop", Message: fmt.Sprint(i)}))
	}
	entries, next, _, err := d.Logs(d.udid, 0)
	d.must(err)
	if len(entries) < 900 || len(entries) > 1024 || entries[len(entries)-1].Message != "1499" {
		t.Errorf("%d entries are left", len(entries))
	}
	if len(store.entries) > 20 {
		t.Errorf("the store has %d entries", len(store.entries))
	}
	again := newWorld(t, world.Options{Store: store})
	restored, after, _, err := again.Logs(d.udid, 0)
	d.must(err)
	if len(restored) != len(entries) || after != next || restored[0] != entries[0] {
		t.Errorf("%d entries up to %d were restored, want %d up to %d", len(restored), after, len(entries), next)
	}
}

func TestDeviceEventsAreLogged(t *testing.T) {
	d := drive(t, world.Options{})
	pid := d.launch(shop)
	d.must(d.Terminate(t.Context(), d.udid, shop))
	entries, _, _, err := d.Logs(d.udid, 0)
	d.must(err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Message)
	}
	for _, want := range []string{"boots iOS 18.5", fmt.Sprintf("[app<%s>:%d] Bootstrap success!", shop, pid), "Process exited."} {
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("%q is not in the log:\n%s", want, strings.Join(all, "\n"))
		}
	}
}

func TestAttachCopiesAppOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, world.Options{Clock: world.RealClock()})
		file := filepath.Join(t.TempDir(), "out.txt")
		pid, err := d.Launch(t.Context(), d.udid, shop, world.LaunchOptions{Output: world.Output{Stdout: file}})
		d.must(err)
		d.must(d.Print(d.udid, shop, "early\n", false))
		var out, errout strings.Builder
		done := make(chan error)
		go func() { done <- d.Attach(t.Context(), d.udid, pid, &out, &errout) }()
		synctest.Wait()
		d.must(d.Print(d.udid, shop, "late\n", false))
		d.must(d.Print(d.udid, shop, "oops\n", true))
		synctest.Wait()
		d.must(d.Terminate(t.Context(), d.udid, shop))
		if err := <-done; err != nil || out.String() != "early\nlate\n" || errout.String() != "oops\n" {
			t.Errorf("attached: %q, %q, %v", out.String(), errout.String(), err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != "early\nlate\n" {
			t.Errorf("the file has %q, %v", data, err)
		}
	})
}

func TestBootFaultsFailDelayOrHangBoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, world.Options{Clock: world.RealClock()})
		udid := firstUDID
		plan := func(name string) {
			if err := w.AddFault(flaw.Fault{Name: name, Device: udid}); err != nil {
				t.Fatal(err)
			}
		}
		plan(flaw.BootFails)
		if err := w.Boot(t.Context(), udid); !errors.Is(err, world.ErrFault) || w.Devices()[0].State != world.Shutdown {
			t.Errorf("a boot that fails: %v, %s", err, w.Devices()[0].State)
		}
		plan(flaw.SlowBoot)
		start := time.Now()
		if err := w.Boot(t.Context(), udid); err != nil || time.Since(start) != time.Minute {
			t.Errorf("a slow boot: %v after %s", err, time.Since(start))
		}
		_ = w.Shutdown(t.Context(), udid)
		plan(flaw.BootHang)
		booted := make(chan error)
		go func() { booted <- w.Boot(t.Context(), udid) }()
		time.Sleep(time.Hour)
		if s := w.Devices()[0].State; s != world.Booting {
			t.Errorf("after an hour the device is %s", s)
		}
		if err := w.Shutdown(t.Context(), udid); err != nil {
			t.Error(err)
		}
		<-booted
		if err := w.Boot(t.Context(), udid); err != nil {
			t.Error(err)
		}
	})
}

func TestInstallAndLaunchFaultsHappenOnce(t *testing.T) {
	d := drive(t, world.Options{})
	d.must(d.AddFault(flaw.Fault{Name: flaw.InstallFails}))
	d.must(d.AddFault(flaw.Fault{Name: flaw.LaunchFails}))
	if err := d.Install(t.Context(), d.udid, otherApp(t), "/x"); !errors.Is(err, world.ErrFault) {
		t.Errorf("install: %v", err)
	}
	if _, err := d.Launch(t.Context(), d.udid, shop, world.LaunchOptions{}); !errors.Is(err, world.ErrFault) {
		t.Errorf("launch: %v", err)
	}
	d.launch(shop)
	d.must(d.Install(t.Context(), d.udid, otherApp(t), "/x"))
}
