package house_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestTakeOverEndsCaptureAndVideo: a capture launches its app and ends it, a film belongs to whoever started it.
// When another session gets the device, both are over, and the old session can end nothing there any more.
func TestTakeOverEndsCaptureAndVideo(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("ann", "")
	h.Must("ann", "claim_device", map[string]any{"udid": udid})
	started := h.Must("ann", "launch_app_logs_sim", map[string]any{"simulatorId": udid, "bundleId": drivertest.Conformance})
	id := house.Result[struct{ LogSessionID string }](h, started).LogSessionID
	h.Must("ann", "record_video", map[string]any{"udid": udid, "out": filepath.Join(t.TempDir(), "ann.mp4")})
	h.Must("bob", "take_over_device", map[string]any{"udid": udid, "reason": "ann left"})
	before := h.State()
	if e := h.Call("ann", "stop_sim_log_cap", map[string]any{"logSessionId": id}); h.State() != before || e.Error == nil {
		t.Errorf("ann's stop was not refused: %+v", e.Error)
	}
	h.Must("bob", "launch_app", map[string]any{"udid": udid, "bundle_id": drivertest.Conformance, "restart": true})
	before = h.State()
	stopped := h.Call("ann", "stop_sim_log_cap", map[string]any{"logSessionId": id})
	if h.State() != before {
		t.Errorf("ann's stop changed bob's device: %+v", stopped.Error)
	}
	if text := string(stopped.Result); stopped.Error != nil || !strings.Contains(text, "another session got the device") {
		t.Errorf("what was captured before: %s %+v", text, stopped.Error)
	}
	h.Must("bob", "record_video", map[string]any{"udid": udid, "out": filepath.Join(t.TempDir(), "bob.mp4")})
}
