package house_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestSurfacesDriveSameDevice drives one device on all surfaces of one house: they are the product, and they agree.
func TestSurfacesDriveSameDevice(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	before := h.State()
	if e := h.Must("a", "snapshot", nil); !strings.Contains(e.Stdout, `"Tapped: 0"`) || e.Meta.Device.UDID != udid {
		t.Errorf("the snapshot is of %+v:\n%s", e.Meta.Device, e.Stdout)
	}
	if h.State() != before {
		t.Error("a look changed the world")
	}
	if r := h.CLI("a", "tap", "--identifier", "controls-tap-button"); r.Exit != 0 || !strings.Contains(r.Stdout, "Tapped: 1") {
		t.Errorf("the tap by the command line: %+v", r)
	}
	if h.State() == before {
		t.Error("a tap did not change the world")
	}
	w := h.REST("a", http.MethodPost, "/api/v1/device/ui/tap-element", map[string]string{"identifier": "controls-tap-button"})
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Tapped: 2") {
		t.Errorf("the tap by REST: %d %s", w.Code, w.Body)
	}
	r, err := h.Tool("a", "tap_element", map[string]string{"identifier": "controls-tap-button"})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	if raw, _ := json.Marshal(r.Content); !strings.Contains(string(raw), "Tapped: 3") {
		t.Errorf("the tap by MCP: %s", raw)
	}
	another := h.CLI("b", "tap", "--identifier", "controls-tap-button", "--udid", udid, "--json")
	if another.Exit == 0 || !strings.Contains(another.Stdout, "DEVICE_CLAIMED") {
		t.Errorf("another session's tap: %+v", another)
	}
}

// BenchmarkNew is what a test pays for a house.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		house.New(b)
	}
}

// BenchmarkTap is what a step costs, with nothing real to wait for.
func BenchmarkTap(b *testing.B) {
	h := house.New(b)
	h.Boot("a", drivertest.Conformance)
	for b.Loop() {
		h.Must("a", "tap_element", map[string]string{"identifier": "controls-tap-button"})
	}
}

// BenchmarkBoot is a device with an app in front and its agent started.
func BenchmarkBoot(b *testing.B) {
	for b.Loop() {
		h := house.New(b)
		h.Boot("a", drivertest.Conformance)
		h.Must("a", "snapshot", nil)
	}
}
