// Package xcodebuild builds the command lines of xcodebuild that build the XCTest agent and run it on a device.
package xcodebuild

import (
	"path/filepath"
	"strconv"

	"ios-agent/internal/machine/host"
)

// The names of the agent's Xcode project. The virtual xcodebuild knows the scheme by the same constants.
const (
	AgentProject = "IosAgent.xcodeproj"
	AgentScheme  = "IosAgentUITests"
	AgentTest    = AgentScheme + "/IosAgentTests/testRunAgent"
)

// What the agent reads from its environment. xcodebuild hands variables with this prefix, stripped of it, to the test
// runner.
const (
	RunnerPrefix   = "TEST_RUNNER_"
	PortVariable   = "IOS_AGENT_PORT"
	AuthVariable   = "IOS_AGENT_TOKEN"
	BuildVariable  = "IOS_AGENT_BUILD"           // which sources it was built of, for its greeting
	PublicVariable = "IOS_AGENT_PUBLIC_API_ONLY" // 1: no undocumented keys of XCTest
)

// derived is where the agent is built, below its folder.
const derived = ".build"

// The platforms of destinations that the agent runs on, and the SDKs they are built with.
const (
	IOS          = "iOS"
	IOSSimulator = "iOS Simulator"

	SimulatorSDK = "iphonesimulator"
	DeviceSDK    = "iphoneos"
)

// Destination is one device as xcodebuild wants it, or any device of the platform where the id is empty. The platform always
// stands with the id: newer runtimes are not found by their id alone.
func Destination(platform, id string) string {
	if id == "" {
		return "generic/platform=" + platform
	}
	return "platform=" + platform + ",id=" + id
}

// AgentProducts is the folder of what was built.
func AgentProducts(folder string) string { return filepath.Join(folder, derived, "Build", "Products") }

// platforms are those of the SDKs.
var platforms = map[string]string{SimulatorSDK: IOSSimulator, DeviceSDK: IOS}

// AgentBuild says which agent to build.
type AgentBuild struct {
	Xcodebuild string // the program
	Folder     string // of the project
	SDK        string // SimulatorSDK or DeviceSDK
	// UDID is a device that the agent is to run on. Only its architecture is built; the product runs on every device that has
	// the same one. Empty: all architectures are built.
	UDID string
}

// Command is the command that builds the agent.
func (b AgentBuild) Command() host.Cmd {
	args := []string{
		"build-for-testing", "-project", filepath.Join(b.Folder, AgentProject), "-scheme", AgentScheme,
		"-destination", Destination(platforms[b.SDK], b.UDID), "-derivedDataPath", filepath.Join(b.Folder, derived),
	}
	if b.UDID != "" {
		args = append(args, "ONLY_ACTIVE_ARCH=YES")
	}
	return host.Cmd{Name: b.Xcodebuild, Args: append(args, "COMPILER_INDEX_STORE_ENABLE=NO"), Dir: b.Folder}
}

// Agent says which agent to run where.
type Agent struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	UDID       string // of a simulator
	Derived    string // a folder of its own for what xcodebuild leaves behind: a result bundle, logs
	Port       int
	Token      string
	Build      string
	PublicOnly bool // use nothing that Apple does not document
}

// Command is the command that runs the agent; it ends when the agent does.
func (a Agent) Command() host.Cmd {
	cmd := host.Cmd{
		Name: a.Xcodebuild,
		Args: []string{
			"test-without-building", "-xctestrun", a.Products, "-destination", Destination(IOSSimulator, a.UDID),
			"-derivedDataPath", a.Derived, "-collect-test-diagnostics", "never", "-only-testing:" + AgentTest,
		},
		Env: []string{
			RunnerPrefix + PortVariable + "=" + strconv.Itoa(a.Port),
			RunnerPrefix + AuthVariable + "=" + a.Token,
			RunnerPrefix + BuildVariable + "=" + a.Build,
		},
	}
	if a.PublicOnly { // else the agent decides, by where it runs
		cmd.Env = append(cmd.Env, RunnerPrefix+PublicVariable+"=1")
	}
	return cmd
}
