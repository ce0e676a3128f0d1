package house_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestEnsuredDevicesAreDrivenWithoutSession is the seed's: ensure under a session id, then drive each device by its udid without any
// session.
func TestEnsuredDevicesAreDrivenWithoutSession(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	post := func(path string, body any, out any) int {
		w := h.REST("", http.MethodPost, "/api/v1"+path, body)
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			t.Fatal(err, w.Body)
		}
		return w.Code
	}
	var ensured struct{ Devices []struct{ UDID string } }
	want := map[string]any{"count": 2, "name": "iPhone 16 Pro", "session_id": "bulk-test"}
	if code := post("/devices/ensure", want, &ensured); code != http.StatusOK {
		t.Fatal(code)
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			h.Restart() // the claim is kept, and who drives it
		}
		for _, d := range ensured.Devices {
			var said any
			body := map[string]any{"udid": d.UDID, "bundle_id": drivertest.Conformance}
			if code := post("/device/app/launch", body, &said); code != http.StatusOK {
				t.Errorf("restarted %v: launch on %s: %d %v", restarted, d.UDID, code, said)
			}
		}
	}
	// Somebody else is refused, and told who may.
	udid := ensured.Devices[0].UDID
	e := h.Call("eve", "tap_element", map[string]string{"udid": udid, "label": "Tap Me"})
	if e.Error == nil || e.Error.Code != fault.DeviceClaimed || !strings.Contains(e.Error.Message, "bulk-test (http may drive it too)") ||
		fmt.Sprint(e.Error.Details["co_drivers"]) != "[http]" {
		t.Errorf("%s", e.Text())
	}
	// It ends with the claim.
	var said any
	if code := post("/devices/release", map[string]any{"udid": udid, "session_id": "bulk-test"}, &said); code != http.StatusOK {
		t.Fatal(said)
	}
	h.Must("bulk-test", "claim_device", map[string]string{"udid": udid})
	launch := map[string]any{"udid": udid, "bundle_id": drivertest.Conformance}
	if code := post("/device/app/launch", launch, &said); code != http.StatusConflict {
		t.Errorf("after the release: %d %v", code, said)
	}
}

// TestDrivingSessionClaimsUnderOtherSessionID: who drives a device without a claim can claim it under a session id, and goes on driving.
func TestDrivingSessionClaimsUnderOtherSessionID(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ann", drivertest.Conformance)
	h.Must("ann", "claim_device", map[string]string{"udid": udid, "session_id": "bulk-test"})
	h.Must("ann", "tap_element", map[string]string{"udid": udid, "label": "Tap Me"})
	h.Must("bulk-test", "tap_element", map[string]string{"udid": udid, "label": "Tap Me"})
	if e := h.Call("eve", "claim_device", map[string]string{"udid": udid, "session_id": "eve-test"}); e.Error == nil {
		t.Error("another session claimed it")
	}
}

// TestHolderNameDoesNotReleaseClaim: a fault tells everybody who holds a device. With that name another session neither releases the claim,
// nor renews it, nor joins it, on no surface; who claimed in that name does.
func TestHolderNameDoesNotReleaseClaim(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ann", drivertest.Conformance)
	h.Must("ann", "claim_device", in{"udid": udid, "session_id": "bulk-test"})
	told := h.Call("eve", "tap_element", in{"udid": udid, "label": "Tap Me"})
	if told.Error == nil || strings.Contains(told.Error.Hint, "bulk-test") {
		t.Fatalf("got %s, want a refusal whose hint does not tell how to be the holder", told.Text())
	}
	for _, holder := range []any{told.Error.Details["holder"], "ann"} {
		named := in{"udid": udid, "session_id": holder}
		for name, want := range map[string]fault.Code{
			"release_device": fault.NotHolder, "renew_device": fault.NotHolder, "claim_device": fault.DeviceClaimed,
			"resolve_device": fault.DeviceClaimed,
		} {
			if e := h.Call("eve", name, named); e.Error == nil || e.Error.Code != want {
				t.Errorf("%s as %v: got %s, want %s", name, holder, e.Text(), want)
			}
		}
		for name, path := range map[string]string{"release": "/api/v1/devices/release", "claim": "/api/v1/devices/claim"} {
			if w := h.REST("eve", http.MethodPost, path, named); w.Code != http.StatusConflict && w.Code != http.StatusForbidden {
				t.Errorf("%s over REST as %v: got %d %s, want a refusal", name, holder, w.Code, w.Body)
			}
		}
		if said := h.CLI("eve", "pool", "release", "--udid", udid, "--session-id", fmt.Sprint(holder)); said.Exit == 0 {
			t.Errorf("pool release as %v: got %s, want a refusal", holder, said.Stdout)
		}
	}
	h.Must("ann", "tap_element", in{"udid": udid, "label": "Tap Me"})
	h.Must("ann", "renew_device", in{"udid": udid, "session_id": "bulk-test"})
	h.Must("ann", "release_device", in{"udid": udid, "session_id": "bulk-test"})
}

// TestClaimForOtherSessionKeepsItsChoice: a claim in the name of another session does not change which device that session chose.
func TestClaimForOtherSessionKeepsItsChoice(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ann", drivertest.Conformance)
	h.Must("ann", "use_device", in{"device": house.Device})
	h.Must("eve", "claim_device", in{"name": "iPhone 15", "session_id": "ann"})
	if e := h.Must("ann", "snapshot", nil); e.Meta.Device == nil || e.Meta.Device.UDID != udid {
		t.Errorf("got %+v, want the device that ann chose, %s", e.Meta.Device, udid)
	}
}
