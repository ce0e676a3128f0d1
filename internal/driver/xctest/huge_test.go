package xctest_test

import (
	"testing"

	"ios-agent/internal/device"
	"ios-agent/test/rig"
)

// The agent keeps to the bound of all drivers, and says what it left out. The app is the largest that Virtual Xcode takes.
func TestHugeTreeOfTheAgentIsBounded(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	r.Install("com.test.huge",
		"start: main\nscreens:\n  main:\n    elements:\n      - repeat: {count: 19990, each: {text: \"Row {index}\"}}\n")
	r.Launch("com.test.huge")
	screen, err := r.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	r.Must(err)
	if kept := len(screen.Nodes()); kept > device.MostNodes || kept < device.MostNodes/2 || screen.Truncated < 19_990-device.MostNodes {
		t.Errorf("got %d elements and %d left out, want at most %d and the others", kept, screen.Truncated, device.MostNodes)
	}
}
