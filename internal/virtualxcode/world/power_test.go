package world_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"ios-agent/internal/virtualxcode/world"
)

const simError = "com.apple.CoreSimulator.SimError"

func TestBootAndShutdownRefuseWrongState(t *testing.T) {
	w := newWorld(t, world.Options{})
	udid := w.Devices()[0].UDID
	state := func() world.State { return w.Devices()[0].State }
	if state() != world.Shutdown {
		t.Fatalf("a new device is %s", state())
	}
	wantError(t, w.Shutdown(t.Context(), udid), world.ErrWrongState, simError, 405, "Unable to shutdown device in current state: Shutdown")
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	if state() != world.Booted || !w.Devices()[0].LastBootedAt.Equal(noon()) {
		t.Fatalf("a booted device is %s, last booted at %s", state(), w.Devices()[0].LastBootedAt)
	}
	wantError(t, w.Boot(t.Context(), udid), world.ErrWrongState, simError, 405, "Unable to boot device in current state: Booted")
	if err := w.Shutdown(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	if state() != world.Shutdown {
		t.Errorf("the device is %s", state())
	}
}

func TestLaunchIsRefusedWhileDeviceBoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, world.Options{Clock: world.RealClock()})
		udid := w.Devices()[0].UDID
		waited := make(chan error, 1)
		go func() { waited <- w.WaitBooted(t.Context(), udid) }()
		synctest.Wait()
		booted := make(chan error, 1)
		go func() { booted <- w.Boot(t.Context(), udid) }()
		synctest.Wait()
		_, err := w.Launch(t.Context(), udid, "com.example.none", world.LaunchOptions{})
		wantError(t, err, world.ErrWrongState, simError, 405, "Unable to lookup in current state: Booting")
		if err := errors.Join(<-booted, <-waited); err != nil {
			t.Fatal(err)
		}
		if s := w.Devices()[0].State; s != world.Booted {
			t.Errorf("the device is %s", s)
		}
	})
}

func TestWaitBootedEndsWithItsContext(t *testing.T) {
	w := newWorld(t, world.Options{})
	if err := w.WaitBooted(canceled(), w.Devices()[0].UDID); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestFindAcceptsUDIDNameOrBooted(t *testing.T) {
	w := newWorld(t, world.Options{})
	_, err := w.Find("booted")
	wantError(t, err, world.ErrWrongState, "", 148, "No devices are booted.")
	_, err = w.Find("iPhone 3")
	wantError(t, err, world.ErrInvalidDevice, "", 148, "Invalid device: iPhone 3")
	udid := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{udid, "iPhone 16 Pro", "booted", "Booted"} {
		if d, err := w.Find(name); err != nil || d.UDID != udid {
			t.Errorf("find %q: %s, %v", name, d.UDID, err)
		}
	}
}

func TestShutDownDeviceRefusesInput(t *testing.T) {
	w := newWorld(t, world.Options{Preinstalled: builtin(t)})
	udid := w.Devices()[0].UDID
	_, launch := w.Launch(t.Context(), udid, shop, world.LaunchOptions{})
	_, _, look := w.Snapshot(t.Context(), udid, "")
	_, front := w.Foreground(udid)
	for name, err := range map[string]error{
		"launch": launch, "snapshot": look, "foreground": front,
		"terminate": w.Terminate(t.Context(), udid, shop),
		"install":   w.Install(t.Context(), udid, builtin(t)[0], ""),
		"tap":       w.Tap(t.Context(), udid, world.Point{}),
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, err, world.ErrWrongState, simError, 405, "Unable to lookup in current state: Shutdown")
		})
	}
}
