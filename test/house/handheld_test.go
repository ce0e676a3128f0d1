package house_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/house"
)

// TestPhysicalDeviceIsDrivenAfterAgentStart is driven from the first look, which says that the agent is missing, to a tap.
func TestPhysicalDeviceIsDrivenAfterAgentStart(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{})
	phone := func(more map[string]any) map[string]any {
		in := map[string]any{"udid": house.Physical}
		for k, v := range more {
			in[k] = v
		}
		return in
	}
	h.Must("a", "launch_app", phone(map[string]any{"bundle_id": "com.apple.Preferences"}))
	e := h.Call("a", "snapshot", phone(nil))
	if e.Error == nil || e.Error.Code != fault.AgentNotRunning || !strings.Contains(e.Error.Hint, "agent start --udid "+house.Physical) {
		t.Fatalf("%s", e.Text())
	}
	e = h.Call("a", "agent_start", phone(nil))
	if e.Error == nil || e.Error.Code != fault.SigningFailed || !strings.Contains(e.Error.Hint, "--team") {
		t.Fatalf("%s", e.Text())
	}
	h.Must("a", "agent_start", phone(map[string]any{"team": "A1B2C3D4E5"}))
	if e := h.Must("a", "snapshot", phone(nil)); !strings.Contains(e.Text(), "General") {
		t.Fatalf("%s", e.Text())
	}
	if e := h.Must("a", "tap_element", phone(map[string]any{"label": "General"})); !strings.Contains(e.Text(), "About") {
		t.Errorf("%s", e.Text())
	}
	h.Must("a", "agent_stop", phone(nil))
	e = h.Call("a", "tap_element", phone(map[string]any{"label": "About"}))
	if e.Error == nil || e.Error.Code != fault.AgentNotRunning || e.Error.Dispatched != fault.NotDispatched {
		t.Errorf("an agent came unasked: %s", e.Text())
	}
}

// TestDoctorNamesMissingDeviceStep names the missing step, and what to do next.
func TestDoctorNamesMissingDeviceStep(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{})
	examine := func(named string) string {
		t.Helper()
		return h.CLI("a", "doctor", "--device", named).Stdout
	}
	for named, want := range map[string]string{
		house.Physical: "ok    trust", "Ada’s iPhone": "ok    developer mode", "F2LX7Q9V0D": "fail  team",
		"Nobody’s iPhone": "fail  cable", "Grace’s iPad": "warn  lock",
	} {
		if said := examine(named); !strings.Contains(said, want) {
			t.Errorf("%s: no %q in\n%s", named, want, said)
		}
	}
	if r := h.CLI("a", "doctor", "--device", "iPhone 16"); !strings.Contains(r.Stderr, "only physical devices need these steps") {
		t.Errorf("%s%s", r.Stdout, r.Stderr)
	}
	for name, want := range map[string]string{
		flaw.DeviceUnpaired: "fail  trust", flaw.DeveloperModeOff: "fail  developer mode", flaw.DeviceUnplugged: "fail  cable",
		flaw.TunnelDown: "warn  tunnel", flaw.DiskImageMissing: "warn  disk image", flaw.DeviceLocked: "warn  lock",
	} {
		f := virtualxcode.Fault{Name: name, Device: house.Physical, Times: virtualxcode.Forever}
		if err := h.Virtual.AddFault(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		said := examine(house.Physical)
		_, after, found := strings.Cut(said, want)
		_, next, _ := strings.Cut(after, "\n")
		if !found || !strings.HasPrefix(next, "      hint: ") {
			t.Errorf("%s: no %q with a hint in\n%s", name, want, said)
		}
		if err := h.Virtual.ClearFaults(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeviceListShowsTrustAndDeveloperMode: whether a device trusts this computer and has Developer Mode on stands in the list.
func TestDeviceListShowsTrustAndDeveloperMode(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{})
	listed := func() string {
		t.Helper()
		var out struct {
			Devices []struct {
				UDID, State string
				Hardware    struct {
					Pairing   string `json:"pairing_state"`
					Developer string `json:"developer_mode"`
				}
			}
		}
		if err := json.Unmarshal(h.Must("a", "list_devices", map[string]any{"type": "device"}).Result, &out); err != nil {
			t.Fatal(err)
		}
		for _, d := range out.Devices {
			if d.UDID == house.Physical {
				return d.State + " " + d.Hardware.Pairing + " " + d.Hardware.Developer
			}
		}
		return "nothing"
	}
	if got := listed(); got != "booted paired enabled" {
		t.Error(got)
	}
	for _, name := range []string{flaw.DeviceUnpaired, flaw.DeveloperModeOff} {
		f := virtualxcode.Fault{Name: name, Device: house.Physical, Times: virtualxcode.Forever}
		if err := h.Virtual.AddFault(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if got := listed(); got != "unpaired unpaired disabled" {
		t.Error(got)
	}
}
