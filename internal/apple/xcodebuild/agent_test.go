package xcodebuild

import (
	"slices"
	"strings"
	"testing"
)

const udid = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"

func TestDestination(t *testing.T) {
	for want, got := range map[string]string{
		"platform=iOS Simulator,id=" + udid: Destination(IOSSimulator, udid),
		"platform=iOS,id=00008130-1":        Destination(IOS, "00008130-1"),
		"generic/platform=watchOS":          Destination("watchOS", ""),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Nothing that runs the agent may be left in the folders of Xcode, and newer runtimes are not found by a bare id.
func TestTheAgentRunsOnOneDevice(t *testing.T) {
	args := Agent{Xcodebuild: "xcodebuild", Products: "/p/a.xctestrun", UDID: udid, Derived: "/d"}.Command().Args
	want := strings.Fields("test-without-building -xctestrun /p/a.xctestrun -destination")
	want = append(want, "platform=iOS Simulator,id="+udid, "-derivedDataPath", "/d", "-collect-test-diagnostics", "never",
		"-only-testing:"+AgentTest)
	if !slices.Equal(args, want) {
		t.Errorf("%q\nwant %q", args, want)
	}
}

func TestTheAgentIsBuiltForOneDevice(t *testing.T) {
	for sdk, destination := range map[string]string{SimulatorSDK: "platform=iOS Simulator,id=" + udid, DeviceSDK: "platform=iOS,id=" + udid} {
		args := AgentBuild{Xcodebuild: "xcodebuild", Folder: "/f", SDK: sdk, UDID: udid}.Command().Args
		for _, word := range []string{destination, "ONLY_ACTIVE_ARCH=YES", "COMPILER_INDEX_STORE_ENABLE=NO"} {
			if !slices.Contains(args, word) {
				t.Errorf("%s: no %q in %q", sdk, word, args)
			}
		}
	}
	args := AgentBuild{Xcodebuild: "xcodebuild", Folder: "/f", SDK: SimulatorSDK}.Command().Args
	if !slices.Contains(args, "generic/platform=iOS Simulator") || slices.Contains(args, "ONLY_ACTIVE_ARCH=YES") {
		t.Errorf("without a device: %q", args)
	}
}
