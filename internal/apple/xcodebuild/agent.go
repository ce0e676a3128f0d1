// Package xcodebuild builds the command lines of xcodebuild that build the XCTest agent and run it on a device.
package xcodebuild

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/lazyregexp"
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
	UDIDVariable   = "IOS_AGENT_UDID"            // of a physical device, which does not know it itself
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
	Team string // that signs it for a physical device
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
	if b.Team != "" { // Xcode makes a certificate and a profile. It registers no device: a team has a hundred a year, and its owner chooses
		args = append(args, "-allowProvisioningUpdates", "DEVELOPMENT_TEAM="+b.Team)
	}
	return host.Cmd{Name: b.Xcodebuild, Args: append(args, "COMPILER_INDEX_STORE_ENABLE=NO"), Dir: b.Folder}
}

// Agent says which agent to run where.
type Agent struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	UDID       string
	SDK        string // that the products were built with; empty is SimulatorSDK
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
			"test-without-building", "-xctestrun", a.Products, "-destination",
			Destination(cmp.Or(platforms[a.SDK], IOSSimulator), a.UDID),
			"-derivedDataPath", a.Derived, "-collect-test-diagnostics", "never", "-only-testing:" + AgentTest,
		},
		Env: []string{
			RunnerPrefix + PortVariable + "=" + strconv.Itoa(a.Port),
			RunnerPrefix + AuthVariable + "=" + a.Token,
			RunnerPrefix + BuildVariable + "=" + a.Build,
		},
	}
	if a.SDK == DeviceSDK {
		cmd.Env = append(cmd.Env, RunnerPrefix+UDIDVariable+"="+a.UDID)
	}
	if a.PublicOnly { // else the agent decides, by where it runs
		cmd.Env = append(cmd.Env, RunnerPrefix+PublicVariable+"=1")
	}
	return cmd
}

// Prebuilt runs the tests of products that somebody else built, such as WebDriverAgent's.
type Prebuilt struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	SDK        string // that the products were built with
	UDID       string
	Derived    string            // a folder of its own for what xcodebuild leaves behind
	Env        map[string]string // of the test runner
}

// Command is the command that runs the tests; it ends when they do.
func (p Prebuilt) Command() host.Cmd {
	cmd := host.Cmd{
		Name: p.Xcodebuild,
		Args: []string{
			"test-without-building", "-xctestrun", p.Products, "-destination", Destination(platforms[p.SDK], p.UDID),
			"-derivedDataPath", p.Derived, "-collect-test-diagnostics", "never",
		},
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		cmd.Env = append(cmd.Env, RunnerPrefix+name+"="+p.Env[name])
	}
	return cmd
}

// signing are how Xcode begins to say that it cannot sign: it has no code for it.
var signing = lazyregexp.New(`error: (?:Signing for "|No profiles for '|No Accounts?\b|No signing certificate|Provisioning profile |` +
	`Failed to register bundle identifier|Device "[^"]*" isn't registered|Your account |Communication with Apple failed)`)

// IsSigningError reports whether a line of a build says that nothing can be signed.
func IsSigningError(line string) bool { return signing.MatchString(line) }
