package wda_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

var button = ui.Query{Identifier: "controls-tap-button"}

// TestLostSessionIsReplaced: a new session replaces it, and the command runs once: an unknown session means that nothing was done.
func TestLostSessionIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	at := s.at(button)
	s.Fault(virtualxcode.Fault{Name: flaw.WDASessionLost})
	before := s.inputs()
	s.Must(get[device.Touch](s).Tap(t.Context(), at))
	if n := s.inputs() - before; n != 1 {
		t.Errorf("%d touches", n)
	}
	s.Fault(virtualxcode.Fault{Name: flaw.WDASessionLost})
	if len(s.look().Match(ui.Query{Contains: "Tapped: 1"})) == 0 {
		t.Error("the tap had no effect")
	}
	s.Fault(virtualxcode.Fault{Name: flaw.WDASessionLost, Times: virtualxcode.Forever})
	want(t, get[device.Touch](s).Tap(t.Context(), at), fault.AgentFailed, fault.NotDispatched)
	if n := s.inputs() - before; n != 1 {
		t.Errorf("%d touches", n)
	}
}

// TestInputWithoutAnswerIsUnknown: WebDriverAgent ends before it answers an input, which is not sent again.
func TestInputWithoutAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	for when, arrived := range map[string]int{"after": 1, "before": 0} {
		s := newStand(t)
		s.start("Controls")
		at := s.at(button)
		before := s.inputs()
		s.Fault(virtualxcode.Fault{Name: flaw.WDAPortGone, Set: map[string]string{"when": when}})
		f := want(t, get[device.Touch](s).Tap(t.Context(), at), fault.OutcomeUnknown, fault.MaybeDispatched)
		if n := s.inputs() - before; n != arrived || !strings.Contains(f.Message, s.phone.Info().Name) {
			t.Errorf("%s: %d touches; %s", when, n, f.Message)
		}
	}
}

// TestDeadPortFaultNamesAddress: the fault names the address and says what to do, for looks and for inputs, which were not sent.
func TestDeadPortFaultNamesAddress(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	at := s.at(button)
	s.server.Kill()
	_, err := get[device.Eyes](s).Observe(t.Context(), device.Wait{})
	f := want(t, err, fault.AgentFailed, fault.NotDispatched)
	if !strings.Contains(f.Message, s.url) || !strings.Contains(f.Hint, "start WebDriverAgent") {
		t.Errorf("%s (%s)", f.Message, f.Hint)
	}
	_, err = get[device.Camera](s).Screenshot(t.Context())
	want(t, err, fault.AgentFailed, fault.NotDispatched)
	err = get[device.Prober](s).Probe(t.Context())
	want(t, err, fault.AgentFailed, fault.NotDispatched)
	if f := fault.From(get[device.Touch](s).Tap(t.Context(), at)); f.Dispatched == "" || f.Code == fault.Internal {
		t.Errorf("%+v", f)
	}
}

// TestDialReachesForwardedPort: Dial reaches a device behind a forwarded port; a closed port is a fault until it is open again.
func TestDialReachesForwardedPort(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	server, gone, dialled := virtualxcode.NewWDA(r.World, r.Info.UDID), false, ""
	d := pipes(r, func(_ context.Context, udid string, port int) (net.Conn, error) {
		if dialled = fmt.Sprint(udid, " ", port); gone {
			return nil, errForwarding
		}
		here, there := net.Pipe()
		go server.Serve(context.Background(), there)
		return here, nil
	})
	phone := d.Open(r.Info)
	t.Cleanup(func() { phone.Close() })
	eyes := phone.(device.Eyes)
	if _, err := eyes.Observe(t.Context(), device.Wait{}); err != nil || dialled != r.Info.UDID+" 8100" {
		t.Fatal(dialled, err)
	}
	gone = true
	server.Kill()
	_, err := eyes.Observe(t.Context(), device.Wait{})
	if f := want(t, err, fault.DriverFailed, fault.NotDispatched); !strings.Contains(f.Message, errForwarding.Error()) {
		t.Error(f.Message)
	}
	gone, server = false, virtualxcode.NewWDA(r.World, r.Info.UDID)
	if _, err := eyes.Observe(t.Context(), device.Wait{}); err != nil {
		t.Error(err)
	}
	if _, can := device.Has[device.Apps](phone); can {
		t.Error("apps of a device that others know are theirs")
	}
}

// TestStaleElementIsRefusedUnsent: the element is gone when WebDriverAgent uses it. Nothing was sent.
func TestStaleElementIsRefusedUnsent(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Text Input")
	s.Must(get[device.Touch](s).Tap(t.Context(), s.at(ui.Query{Identifier: "text-username-field"})))
	if _, n := s.find(ui.Query{Identifier: "text-username-field"}); !n.Focused {
		t.Error("the field has no focus")
	}
	before := s.inputs()
	s.Fault(virtualxcode.Fault{Name: flaw.WDAStaleElement})
	f := want(t, get[device.Keyboard](s).Clear(t.Context()), fault.RefExpired, fault.NotDispatched)
	if s.inputs() != before || !strings.Contains(f.Message, "WebDriverAgent on "+s.phone.Info().Name) {
		t.Errorf("%d inputs; %s", s.inputs()-before, f.Message)
	}
	s.Must(get[device.Keyboard](s).Clear(t.Context()))
}

// TestSystemAlertCoversAppAndIsAnswered: the system's alert is part of the screen although the app's tree has it not, what it covers is out
// of reach, and it is answered by the name of a button.
func TestSystemAlertCoversAppAndIsAnswered(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	s.look()
	s.Fault(virtualxcode.Fault{Name: flaw.SystemAlert})
	s.Must(get[device.Touch](s).Tap(t.Context(), s.at(button)))
	screen, n := s.find(button)
	if screen.App != rig.Conformance || screen.Cover != "com.apple.springboard" || n.Hittable() ||
		!strings.Contains(n.WhyNotHittable(), "covered by") {
		t.Errorf("%s in front, %q over it, the button: %q\n%s", screen.App, screen.Cover, n.WhyNotHittable(),
			outline.Of(screen, outline.Choice{}, "", &ui.Refs{}))
	}
	alerts := get[device.Alerts](s)
	a, err := alerts.Alert(t.Context(), "")
	s.Must(err)
	if a == nil || a.Source != "com.apple.springboard" || len(a.Buttons) == 0 || a.Title == "" {
		t.Fatalf("%+v", a)
	}
	_, err = alerts.Alert(t.Context(), "Perhaps")
	if f := want(t, err, fault.ElementNotFound, fault.NotDispatched); !strings.Contains(f.Message, a.Buttons[0]) {
		t.Error(f.Message)
	}
	_, err = alerts.Alert(t.Context(), a.Buttons[0])
	s.Must(err)
	if screen, n := s.find(button); screen.Cover != "" || !n.Hittable() {
		t.Errorf("%q is over the app", screen.Cover)
	}
	_, err = alerts.Alert(t.Context(), "accept")
	want(t, err, fault.ElementNotFound, fault.NotDispatched)
}

// TestLaunchOnLockedDeviceFails: a launch on a locked device says so, and how to unlock it.
func TestLaunchOnLockedDeviceFails(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	locked := r.World.Physicals()[0].UDID
	r.Must(r.World.SetLocked(locked, true))
	s := attach(t, r, locked)
	_, err := get[device.Apps](s).Launch(t.Context(), rig.Conformance, device.Launch{})
	f := want(t, err, fault.AppLaunchFailed, "")
	if !strings.Contains(f.Message, "locked") || !strings.Contains(f.Hint, "unlock") {
		t.Errorf("%s (%s)", f.Message, f.Hint)
	}
	_, err = get[device.Apps](s).Launch(t.Context(), "com.no.such", device.Launch{})
	want(t, err, fault.AppNotFound, "")
	_, err = get[device.Apps](s).Install(t.Context(), "x.app")
	want(t, err, fault.Unsupported, "")
}

// TestInvalidInputsAreRefusedUnsent are refused before they are sent.
func TestInvalidInputsAreRefusedUnsent(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	before, at := s.inputs(), s.at(button)
	ctx := t.Context()
	want(t, get[device.Keyboard](s).Type(ctx, "x"), fault.NoFocus, fault.NotDispatched)
	want(t, get[device.Keyboard](s).Key(ctx, "a", []string{"hyper"}, 1), fault.InvalidInput, fault.NotDispatched)
	want(t, get[device.Keyboard](s).Key(ctx, "a", nil, 5000), fault.InvalidInput, fault.NotDispatched)
	want(t, get[device.Adjust](s).SetValue(ctx, at, "1"), fault.Unsupported, fault.NotDispatched)
	slider := s.at(ui.Query{Identifier: "controls-slider-volume"})
	want(t, get[device.Adjust](s).SetValue(ctx, slider, "7"), fault.Unsupported, fault.NotDispatched)
	want(t, get[device.Rotation](s).Rotate(ctx, "sideways"), fault.InvalidInput, fault.NotDispatched)
	want(t, get[device.Buttons](s).Press(ctx, "siri", 0), fault.Unsupported, fault.NotDispatched)
	want(t, get[device.Pinching](s).Pinch(ctx, at, 1), fault.InvalidInput, fault.NotDispatched)
	if n := s.inputs() - before; n != 0 {
		t.Errorf("%d inputs", n)
	}
}

// TestListNamesUnreachableServer: the list of devices names the address that does not answer; a wrong address is the caller's error.
func TestListNamesUnreachableServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	_, err = wda.New(wda.Options{URL: url}).List(t.Context())
	if f := want(t, err, fault.DriverFailed, fault.NotDispatched); !strings.Contains(f.Message, url) {
		t.Error(f.Message)
	}
	_, err = wda.New(wda.Options{URL: "localhost:8100"}).List(t.Context())
	want(t, err, fault.InvalidInput, fault.NotDispatched)
	infos, err := wda.New(wda.Options{URL: url, URLs: map[string]string{"B": url, "A": url}}).List(t.Context())
	if err != nil || len(infos) != 2 || infos[0].UDID != "A" {
		t.Errorf("%+v, %v", infos, err)
	}
	if wda.New(wda.Options{}).Name() != "wda" || (wda.Options{}).Any() {
		t.Error("the zero options name a device")
	}
}
