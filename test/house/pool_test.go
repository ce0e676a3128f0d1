package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// pooled is the line of the pool's list about a device.
func pooled(h *house.House, name string) string {
	for line := range strings.Lines(h.Must("ada", "list_device_pool", nil).Text()) {
		if strings.Contains(line, "  "+name+"  ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// released releases without a name and gives the udid.
func released(h *house.House) string {
	return house.Result[struct{ UDID string }](h, h.Must("ada", "release_device", nil)).UDID
}

// TestReleaseWithoutDeviceFreesLastClaim, whatever device the session works with, and asks when there were several at once.
func TestReleaseWithoutDeviceFreesLastClaim(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	claim := func(name string) string {
		e := h.Must("ada", "claim_device", map[string]string{"name": name})
		return house.Result[struct{ Device struct{ UDID string } }](h, e).Device.UDID
	}
	mine := h.Boot("ada", drivertest.Conformance)
	pro := claim("iPhone 16 Pro")
	h.Must("ada", "boot_device", map[string]string{"udid": mine})
	if udid := released(h); udid != pro {
		t.Errorf("the claim was of %s, and %s is released", pro, udid)
	}

	first, last := claim("iPhone 15"), claim("iPhone 16 Pro Max")
	claim("iPhone 15")
	if udid := released(h); udid != first {
		t.Errorf("%s was claimed last, and %s is released", first, udid)
	}
	h.Restart()
	claim("iPhone 15")
	h.Restart()
	for _, want := range []string{first, last} {
		if udid := released(h); udid != want {
			t.Errorf("after a restart: %s was claimed last, and %s is released", want, udid)
		}
	}

	two := house.Result[struct{ Devices []struct{ UDID string } }](h,
		h.Must("ada", "ensure_devices", map[string]any{"count": 2, "auto_boot": true})).Devices
	for range 2 {
		e := h.Call("ada", "release_device", nil)
		if e.Error == nil || e.Error.Code != fault.DeviceAmbiguous || !strings.Contains(e.Text(), two[1].UDID[:8]) {
			t.Fatalf("two were claimed at once: %s", e.Text())
		}
		h.Restart()
	}
	h.Must("ada", "release_device", map[string]string{"udid": two[0].UDID})
	if udid := released(h); udid != two[1].UDID {
		t.Errorf("the only claim is %s, and %s is released", two[1].UDID, udid)
	}
}

// TestPoolStateFollowsBootAndShutdown at once after what we did, and after what others did.
func TestPoolStateFollowsBootAndShutdown(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ada", "")
	for _, c := range []struct {
		op, state string
		input     map[string]string
	}{
		{"list_devices", "booted", nil},
		{"shutdown_device", "shutdown", map[string]string{"udid": udid}},
		{"boot_device", "booted", map[string]string{"udid": udid}},
		{"reset_sim", "booted", map[string]string{"udid": udid}},
		{"erase_sims", "shutdown", map[string]string{"simulatorId": udid, "shutdownFirst": "true"}},
		{"launch_app", "booted", map[string]string{"udid": udid, "bundle_id": drivertest.Conformance}},
	} {
		h.Must("ada", c.op, c.input)
		if line := pooled(h, house.Device); !strings.HasPrefix(line, udid+"  "+c.state+"  ") {
			t.Errorf("after %s: %s", c.op, line)
		}
	}
}

// TestUnavailableDeviceIsNotListedAsAvailable is not called available.
func TestUnavailableDeviceIsNotListedAsAvailable(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	list := house.Result[struct {
		Devices []struct {
			Name        string `json:"name"`
			Available   bool   `json:"is_available"`
			ClaimStatus string `json:"claim_status"`
		}
	}](h, h.Must("ada", "list_device_pool", nil))
	unavailable := 0
	for _, d := range list.Devices {
		if !d.Available {
			unavailable++
		}
		if d.Available == (d.ClaimStatus == "unavailable") {
			t.Errorf("%s: available %v, %s", d.Name, d.Available, d.ClaimStatus)
		}
	}
	if unavailable == 0 {
		t.Error("this world has no unavailable device")
	}
	for line := range strings.Lines(h.Must("ada", "list_device_pool", map[string]string{"claimed": "available"}).Text()) {
		if strings.Contains(line, "unavailable") {
			t.Error(line)
		}
	}
}
