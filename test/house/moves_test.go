package house_test

import (
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// second is a simulator beside the usual one.
const second = "iPhone 15"

// current is the session's device, as the list of devices tells it.
func current(h *house.House, session string) string {
	return house.Result[struct {
		Active string `json:"active_udid"`
	}](h, h.Must(session, "list_devices", nil)).Active
}

// TestDeviceNamedForOneCallIsNotKept does not make it the session's, whether the call works or is refused.
func TestDeviceNamedForOneCallIsNotKept(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Must("bob", "boot_device", map[string]string{"sim": second})
	h.Must("bob", "launch_app", map[string]string{"bundle_id": drivertest.Conformance})
	mine := h.Boot("ada", drivertest.Conformance)
	h.Must("ada", "snapshot", nil)
	for _, c := range []struct {
		op    string
		input map[string]any
		code  fault.Code
	}{
		{"take_screenshot", nil, ""},
		{"snapshot", nil, ""},
		{"wait", map[string]any{"text": "Conformance", "timeout": 0}, ""},
		{"tap_element", map[string]any{"label": "Tap Me"}, fault.DeviceClaimed},
		{"reset_sim", nil, fault.DeviceClaimed},
		{"launch_app", map[string]any{"bundle_id": drivertest.Conformance}, fault.DeviceClaimed},
		{"boot_device", nil, fault.DeviceClaimed},
		{"claim_device", map[string]any{"name": second}, fault.DeviceClaimed},
	} {
		input := map[string]any{}
		for name, value := range c.input {
			input[name] = value
		}
		if c.op != "claim_device" {
			input["sim"] = second
		}
		e := h.Call("ada", c.op, input)
		if c.code == "" && e.Error != nil || c.code != "" && (e.Error == nil || e.Error.Code != c.code) {
			t.Errorf("%s: %s", c.op, e.Text())
		}
		if now := current(h, "ada"); now != mine {
			t.Fatalf("%s --sim %q moved the session to %s", c.op, second, now)
		}
	}
	h.Must("bob", "shutdown_device", nil)
	h.Must("ada", "reset_sim", map[string]string{"sim": second})
	h.Must("ada", "tap_element", map[string]string{"label": "Tap Me"})
	if now := current(h, "ada"); now != mine {
		t.Errorf("reset-sim --sim %q moved the session to %s", second, now)
	}
}

// TestBootLaunchAndClaimChooseDevice: to boot, to launch and to claim a device is to work with it from then on.
func TestBootLaunchAndClaimChooseDevice(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	mine := h.Boot("ada", drivertest.Conformance)
	for _, c := range []struct {
		op    string
		input map[string]any
	}{
		{"boot_device", map[string]any{"sim": second}},
		{"launch_app", map[string]any{"sim": second, "bundle_id": drivertest.Conformance}},
		{"resolve_device", map[string]any{"name": second}},
		{"claim_device", map[string]any{"name": second}},
		{"ensure_devices", map[string]any{"name": second, "count": 1}},
	} {
		h.Must("ada", c.op, c.input)
		if now := current(h, "ada"); now == mine || now == "" {
			t.Errorf("%s left the session at %q", c.op, now)
		}
		h.Must("ada", "boot_device", map[string]string{"udid": mine})
	}
	h.Must("ada", "boot_device", map[string]string{"sim": second})
	if e := h.Call("ada", "launch_app", map[string]string{"udid": mine, "bundle_id": "com.example.absent"}); e.Error == nil {
		t.Fatal(e.Text())
	}
	if now := current(h, "ada"); now == mine {
		t.Error("a launch that failed moved the session")
	}
}
