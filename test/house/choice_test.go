package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// phones is a house with two booted simulators that show the same app. Nobody holds a lease of either.
type phones struct {
	*house.House
	t           *testing.T
	mine, other string // udids of house.Device and of second
}

func twoPhones(t *testing.T) *phones {
	t.Helper()
	p := &phones{House: house.New(t, house.Options{Implicit: -1}), t: t}
	p.mine = p.Boot("bob", drivertest.Conformance)
	booted := p.Must("bob", "boot_device", map[string]string{"sim": second})
	p.other = house.Result[struct{ UDID string }](p.House, booted).UDID
	p.Must("bob", "launch_app", map[string]string{"bundle_id": drivertest.Conformance})
	return p
}

// taps is how many inputs have reached a simulator, as the world counted them.
func (p *phones) taps(udid string) int {
	_, count := p.World.Inputs(udid, 0)
	return count
}

// shutDown switches a simulator off without the product, as Xcode or a shell does.
func (p *phones) shutDown(udid string) {
	p.t.Helper()
	if err := p.World.Shutdown(p.t.Context(), udid); err != nil {
		p.t.Fatal(err)
	}
}

// tap taps a button that both simulators show.
func (p *phones) tap(session string) op.Envelope {
	p.t.Helper()
	return p.Call(session, "tap_element", map[string]string{"label": "Tap Me"})
}

// refuses wants calls that name no device to fail twice with a code, a message that names the device, and a hint how to choose
// another one. The other simulator must get no input.
func (p *phones) refuses(session string, code fault.Code, name string) {
	p.t.Helper()
	before := p.taps(p.other)
	for _, call := range []string{"snapshot", "tap_element", "tap_element"} {
		input := map[string]string{"label": "Tap Me"}
		if call == "snapshot" {
			input = nil
		}
		e := p.Call(session, call, input)
		if e.Error == nil || e.Error.Code != code || !strings.Contains(e.Error.Message, name) ||
			!strings.Contains(e.Error.Hint, "ios-agent use") {
			p.t.Errorf("%s: got %s\nwant %s that names %s and a hint with `ios-agent use`", call, e.Text(), code, name)
		}
	}
	if after := p.taps(p.other); after != before {
		p.t.Errorf("got %d inputs on the other simulator, want none", after-before)
	}
}

// acts wants a tap to reach a simulator.
func (p *phones) acts(session, udid string) {
	p.t.Helper()
	before := p.taps(udid)
	e := p.tap(session)
	if after := p.taps(udid); e.Error != nil || after != before+1 {
		p.t.Errorf("got %d inputs on %s, want 1: %s", after-before, udid, e.Text())
	}
}

// TestAChosenDeviceThatIsShutDownIsKept, however it was chosen: no call goes to the other simulator, and a boot brings it back.
func TestAChosenDeviceThatIsShutDownIsKept(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(p *phones){
		"claim": func(p *phones) { p.Must("ada", "claim_device", map[string]string{"name": house.Device}) },
		"use":   func(p *phones) { p.Must("ada", "use_device", map[string]string{"device": house.Device}) },
		"resolve": func(p *phones) {
			p.Must("ada", "resolve_device", map[string]any{"udid": p.mine, "auto_boot": true})
			p.shutDown(p.mine)
		},
		"launch": func(p *phones) {
			p.Must("ada", "launch_app", map[string]string{"udid": p.mine, "bundle_id": drivertest.Conformance})
			p.shutDown(p.mine)
		},
		"boot and shut down": func(p *phones) {
			p.Must("ada", "boot_device", map[string]string{"udid": p.mine})
			p.Must("ada", "shutdown_device", nil)
		},
		"boot and erase": func(p *phones) {
			p.Must("ada", "boot_device", map[string]string{"udid": p.mine})
			p.Must("ada", "erase_sims", map[string]any{"simulatorId": p.mine, "shutdownFirst": true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := twoPhones(t)
			p.shutDown(p.mine)
			choose(p)
			p.refuses("ada", fault.DeviceNotBooted, house.Device)
			if now := current(p.House, "ada"); now != p.mine {
				t.Errorf("got the current device %q, want %q", now, p.mine)
			}
			p.Must("ada", "boot_device", nil)
			p.Must("ada", "launch_app", map[string]string{"bundle_id": drivertest.Conformance})
			p.acts("ada", p.mine)
		})
	}
}

// TestChosenDeviceSurvivesDaemonRestart of the daemon, also when the device was shut down or deleted meanwhile.
func TestChosenDeviceSurvivesDaemonRestart(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	p.Restart()
	p.acts("ada", p.mine)
	p.RestartAfter(func() { p.shutDown(p.mine) })
	p.refuses("ada", fault.DeviceNotBooted, house.Device)
	p.RestartAfter(func() {
		if err := p.World.Delete(t.Context(), p.mine); err != nil {
			t.Fatal(err)
		}
	})
	p.refuses("ada", fault.DeviceNotFound, house.Device)
	if said := p.Must("ada", "status", nil).Text(); !strings.Contains(said, house.Device) {
		t.Errorf("got a status without %q:\n%s", house.Device, said)
	}
	p.Must("ada", "use_device", map[string]string{"device": second})
	p.Restart()
	p.acts("ada", p.other)
}

// TestADeletedDeviceStaysChosen in the daemon that has driven it.
func TestADeletedDeviceStaysChosen(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	p.acts("ada", p.mine)
	p.shutDown(p.mine)
	if err := p.World.Delete(t.Context(), p.mine); err != nil {
		t.Fatal(err)
	}
	p.refuses("ada", fault.DeviceNotFound, house.Device)
}

// TestClaimedDeviceIsKeptWhileShutDown is not given up for the simulator that the session drove before, whose lease it still holds.
func TestClaimedDeviceIsKeptWhileShutDown(t *testing.T) {
	t.Parallel()
	p := &phones{House: house.New(t), t: t}
	p.other = p.Boot("ada", drivertest.Conformance)
	p.acts("ada", p.other)
	p.Must("ada", "claim_device", map[string]string{"name": second})
	p.refuses("ada", fault.DeviceNotBooted, second)
}

// TestTapIsRefusedAfterShutdownByOtherSession: the session's next tap is refused, although it still holds a lease of another simulator.
func TestTapIsRefusedAfterShutdownByOtherSession(t *testing.T) {
	t.Parallel()
	p := &phones{House: house.New(t), t: t}
	p.other = p.Boot("ada", drivertest.Conformance)
	p.acts("ada", p.other)
	booted := p.Must("bob", "boot_device", map[string]string{"sim": second})
	p.mine = house.Result[struct{ UDID string }](p.House, booted).UDID
	p.Must("ada", "use_device", map[string]string{"device": second})
	p.Must("bob", "shutdown_device", nil)
	p.refuses("ada", fault.DeviceNotBooted, second)
}

// TestAReleasedDeviceIsNotChosen: to give a device back is to change the choice.
func TestAReleasedDeviceIsNotChosen(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "claim_device", map[string]string{"udid": p.mine})
	p.Must("ada", "release_device", nil)
	p.Restart()
	if now := current(p.House, "ada"); now != "" {
		t.Errorf("got the current device %q, want none", now)
	}
}

// TestSessionWithoutChoiceUsesBootedDevice: also after a restart of the daemon.
func TestSessionWithoutChoiceUsesBootedDevice(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.shutDown(p.other)
	p.Restart()
	p.acts("ada", p.mine)
	if err := p.World.Boot(t.Context(), p.other); err != nil {
		t.Fatal(err)
	}
	p.shutDown(p.mine)
	p.Must("bob", "launch_app", map[string]string{"udid": p.other, "bundle_id": drivertest.Conformance})
	p.tap("ada") // it may find out that the device it knows was shut down
	p.acts("ada", p.other)
	if now := current(p.House, "ada"); now != "" {
		t.Errorf("got the current device %q, want none", now)
	}
}

// TestBuildUsesOnlyChosenSimulator: it is refused, and no other simulator gets the app, when another session has claimed the chosen one
// and when that is deleted.
func TestBuildUsesOnlyChosenSimulator(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	f := p.Files()
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	p.Must("bob", "claim_device", map[string]string{"udid": p.mine})
	run := func(code fault.Code) {
		t.Helper()
		before := p.State()
		e := p.Call("ada", "run", map[string]any{"projectPath": f.Project, "scheme": f.Scheme})
		if e.Error == nil || e.Error.Code != code || !strings.Contains(e.Error.Message, house.Device) {
			t.Errorf("got %s\nwant %s that names %s", e.Text(), code, house.Device)
		}
		if p.State() != before {
			t.Error("got another state of the world, want the same")
		}
	}
	run(fault.DeviceClaimed)
	p.Must("bob", "release_device", map[string]string{"udid": p.mine})
	if err := p.World.Delete(t.Context(), p.mine); err != nil {
		t.Fatal(err)
	}
	run(fault.DeviceNotFound)
}

// TestARefOfAnotherDeviceIsRefused with a fault that names the device it was shown on. A wait does not take it for gone.
func TestARefOfAnotherDeviceIsRefused(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	refs := seen(p.Must("ada", "snapshot", nil).Text())
	p.Must("ada", "use_device", map[string]string{"device": second})
	p.Must("ada", "snapshot", nil)
	before := p.taps(p.other)
	for name, input := range map[string]map[string]any{
		"tap_element": {"ref": "@" + refs[0]}, "wait": {"ref": "@" + refs[0], "condition": "gone", "timeout": 0},
	} {
		e := p.Call("ada", name, input)
		if e.Error == nil || e.Error.Code != fault.RefExpired || !strings.Contains(e.Error.Message, p.mine) {
			t.Errorf("%s: got %s\nwant %s that names %s", name, e.Text(), fault.RefExpired, p.mine)
		}
	}
	if after := p.taps(p.other); after != before {
		t.Errorf("got %d inputs on the other simulator, want none", after-before)
	}
}

// TestFirstNamedDeviceBecomesChosen of a session that has none: it lasts beyond a restart and a shutdown. A device that is named later is
// meant for that call.
func TestFirstNamedDeviceBecomesChosen(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"snapshot", "tap_element"} {
		t.Run(call, func(t *testing.T) {
			p := twoPhones(t)
			named := map[string]string{"udid": p.mine}
			if call == "tap_element" {
				named["label"] = "Tap Me"
			}
			p.Must("ada", call, named)
			p.Must("ada", "snapshot", map[string]string{"udid": p.other})
			p.Restart()
			p.acts("ada", p.mine)
			p.shutDown(p.mine)
			p.refuses("ada", fault.DeviceNotBooted, house.Device)
		})
	}
}

// TestLaunchWithoutDeviceDoesNotChooseOne: a launch uses the only booted simulator, without making it the session's device.
func TestLaunchWithoutDeviceDoesNotChooseOne(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("bob", drivertest.Conformance)
	h.Must("bob", "release_device", nil)
	h.Must("ada", "launch_app", map[string]string{"bundle_id": drivertest.Conformance})
	if now := current(h, "ada"); now != "" {
		t.Errorf("got %s as the session's device, want none", now)
	}
}

// TestPlainHTTPDoesNotChooseADevice: callers without a session share one session.
func TestPlainHTTPDoesNotChooseADevice(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must(session.HTTP, "snapshot", map[string]string{"udid": p.mine})
	e := p.tap(session.HTTP)
	if e.Error == nil || e.Error.Code != fault.NoDevice {
		t.Errorf("got %s, want NO_DEVICE: two are booted", e.Text())
	}
	if e := p.Call("ada", "tap_element", map[string]string{"label": "Nothing", "udid": p.mine}); e.Error == nil {
		t.Fatal(e.Text())
	}
	if now := current(p.House, "ada"); now != "" {
		t.Errorf("after a call that failed: got the current device %q, want none", now)
	}
}
