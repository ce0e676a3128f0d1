package xcodebuild

import (
	"slices"
	"strings"
	"testing"
)

const udid = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"

func TestDestinationNamesPlatformAndID(t *testing.T) {
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
func TestAgentCommandNamesOneSimulator(t *testing.T) {
	args := Agent{Xcodebuild: "xcodebuild", Products: "/p/a.xctestrun", UDID: udid, Derived: "/d"}.Command().Args
	want := strings.Fields("test-without-building -xctestrun /p/a.xctestrun -destination")
	want = append(want, "platform=iOS Simulator,id="+udid, "-destination-timeout", "180", "-parallel-testing-enabled", "NO",
		"-derivedDataPath", "/d", "-collect-test-diagnostics", "never", "-only-testing:"+AgentTest)
	if !slices.Equal(args, want) {
		t.Errorf("%q\nwant %q", args, want)
	}
}

func TestAgentBuildTargetsOneDevice(t *testing.T) {
	for sdk, destination := range map[string]string{SimulatorSDK: "platform=iOS Simulator,id=" + udid, DeviceSDK: "platform=iOS,id=" + udid} {
		args := AgentBuild{Xcodebuild: "xcodebuild", Folder: "/f", SDK: sdk, UDID: udid}.Command().Args
		for _, word := range []string{destination, "ONLY_ACTIVE_ARCH=YES", "COMPILER_INDEX_STORE_ENABLE=NO"} {
			if !slices.Contains(args, word) {
				t.Errorf("%s: no %q in %q", sdk, word, args)
			}
		}
	}
}

// TestAgentIsToldWhichKeysItMayUse: the agent's own default never decides.
func TestAgentIsToldWhichKeysItMayUse(t *testing.T) {
	for public, value := range map[bool]string{false: "0", true: "1"} {
		want := "TEST_RUNNER_IOS_AGENT_PUBLIC_API_ONLY=" + value
		for _, sdk := range []string{SimulatorSDK, DeviceSDK} {
			if env := (Agent{SDK: sdk, PublicOnly: public}).Command().Env; !slices.Contains(env, want) {
				t.Errorf("environment on %s = %q, want %s in it", sdk, env, want)
			}
		}
	}
}

// A team has a hundred devices a year, and its owner says which.
func TestAgentBuildNeverRegistersDevice(t *testing.T) {
	args := AgentBuild{Xcodebuild: "xcodebuild", Folder: "/f", SDK: DeviceSDK, UDID: udid, Team: "A1B2C3D4E5"}.Command().Args
	for word, want := range map[string]bool{
		"-allowProvisioningUpdates": true, "DEVELOPMENT_TEAM=A1B2C3D4E5": true, "-allowProvisioningDeviceRegistration": false,
	} {
		if slices.Contains(args, word) != want {
			t.Errorf("%s: %v in %q", word, !want, args)
		}
	}
	if slices.ContainsFunc(AgentBuild{SDK: SimulatorSDK}.Command().Args, func(a string) bool { return strings.Contains(a, "rovision") }) {
		t.Error("a simulator needs no profile")
	}
}

// The agent on a physical device is told which one it is on; apps are not told there.
func TestAgentOnADeviceGetsItsUDID(t *testing.T) {
	cmd := Agent{Xcodebuild: "xcodebuild", UDID: "00008140-1", SDK: DeviceSDK}.Command()
	if !slices.Contains(cmd.Args, "platform=iOS,id=00008140-1") || !slices.Contains(cmd.Env, "TEST_RUNNER_IOS_AGENT_UDID=00008140-1") {
		t.Errorf("%q %q", cmd.Args, cmd.Env)
	}
}

func TestIsSigningErrorRecognizesMessages(t *testing.T) {
	for line, want := range map[string]bool{
		`/p/IosAgent.xcodeproj: error: Signing for "IosAgent" requires a development team. Select one. (in target 'IosAgent')`: true,
		`/p/IosAgent.xcodeproj: error: No profiles for 'com.iosagent.agent' were found: Xcode couldn't find any`:               true,
		`error: No Account for Team "A1B2C3D4E5". Add a new account in Accounts settings.`:                                     true,
		`error: No signing certificate "iOS Development" found`:                                                                true,
		`error: Device "Ada's iPhone" isn't registered in your developer account.`:                                             true,
		`/p/A.swift:1:2: error: cannot find 'Signing' in scope`:                                                                false,
	} {
		if IsSigningError(line) != want {
			t.Errorf("%v: %s", !want, line)
		}
	}
}
