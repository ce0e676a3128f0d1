package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/house"
)

// TestFirstHourOfMacIsExplained: where the Mac lacks something, the first call and the doctor name it, and the hint is the command that
// adds it.
func TestFirstHourOfMacIsExplained(t *testing.T) {
	t.Parallel()
	for fault, c := range map[string]struct{ tool, code, says, hint, check string }{
		flaw.CommandLineTools: {"boot_device", "NO_XCODE", "xcrun does not find the tool", "sudo xcode-select -s /Applications/Xcode.app",
			"toolchain"},
		flaw.LicenceNotAccepted: {"boot_device", "NO_XCODE", "Xcode's licence", "sudo xcodebuild -license accept", "toolchain"},
		flaw.NoRuntime:          {"agent_build", "NO_DEVICE", "this Mac has none", "xcodebuild -downloadPlatform iOS", "devices"},
		flaw.NoGUISession:       {"boot_device", "BOOT_FAILED", "launchd failed to respond", "Screen Sharing", ""},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := house.New(t)
			if err := h.Virtual.AddFault(t.Context(), virtualxcode.Fault{Name: fault, Times: virtualxcode.Forever}); err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			if c.tool == "boot_device" {
				in["sim"] = house.Device
			}
			e := h.Call("a", c.tool, in)
			if e.Error == nil || string(e.Error.Code) != c.code || !strings.Contains(e.Error.Message, c.says) ||
				!strings.Contains(e.Error.Hint, c.hint) {
				t.Errorf("%s = %+v, want %s with %q and the hint %q", c.tool, e.Error, c.code, c.says, c.hint)
			}
			if c.check == "" {
				return
			}
			said := h.CLI("a", "doctor").Stdout
			if i := strings.Index(said, c.check); i < 0 || !strings.Contains(said[i:], c.hint) {
				t.Errorf("the doctor does not say %q after %q:\n%s", c.hint, c.check, said)
			}
		})
	}
}
