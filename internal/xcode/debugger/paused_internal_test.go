package debugger

import (
	"testing"

	"ios-agent/internal/device"
)

// TestPausedFindsProcessByDeviceID: a debugger that holds a process is found by the ids that the process has as a device.
func TestPausedFindsProcessByDeviceID(t *testing.T) {
	s := New(Options{})
	held, runs := newDebugger(device.Owner{Session: "a"}, 47, "editor"), newDebugger(device.Owner{Session: "a"}, 4711, "player")
	held.state = Paused
	s.all[47], s.all[4711] = held, runs
	for udid, want := range map[string]bool{
		"pid:47": true, "pid:47:7f4febfb": true, "pid:4711": false, "pid:4": false, "47": false, "": false,
	} {
		if got, is := s.Paused(udid); is != want || is && got.PID != 47 {
			t.Errorf("%q: %v, %+v", udid, is, got)
		}
	}
}
