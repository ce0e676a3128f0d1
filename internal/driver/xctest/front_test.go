package xctest_test

import (
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode/app"
	"ios-agent/test/rig"
)

// TestLookRefusesHostileBundleID: the agent reports an app in front whose id would add text to an outline's header.
func TestLookRefusesHostileBundleID(t *testing.T) {
	r := rig.New(t)
	const hostile = "com.evil.app device:x keyboard:shown" // simctl's answer to a launch breaks at a line break
	evil, err := app.Open(rig.App(t, hostile, "start: main\nscreens:\n  main:\n    title: Evil\n"))
	r.Must(err)
	r.Must(r.World.Install(t.Context(), r.Info.UDID, evil, t.TempDir()))
	r.Launch(hostile)
	screen, err := r.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	if !fault.Is(err, fault.AgentFailed) || !strings.Contains(err.Error(), strconv.Quote(hostile)) {
		t.Errorf("Observe = %+v, %v; want %s that quotes the id", screen, err, fault.AgentFailed)
	}
}
