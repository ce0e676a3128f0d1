// Package xcodebuild builds the command lines of xcodebuild for the XCTest agent: AgentBuild builds it, Agent runs it on a device, Prebuilt
// runs other test products. The caller runs the commands.
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

// The environment of the agent. xcodebuild passes variables with this prefix to the test runner, without the prefix.
const (
	RunnerPrefix   = "TEST_RUNNER_"
	PortVariable   = "IOS_AGENT_PORT"
	AuthVariable   = "IOS_AGENT_TOKEN"
	BuildVariable  = "IOS_AGENT_BUILD"           // identifies the agent's sources, for its greeting
	UDIDVariable   = "IOS_AGENT_UDID"            // of a physical device, which cannot read it
	PublicVariable = "IOS_AGENT_PUBLIC_API_ONLY" // 1: use only documented keys of XCTest; 0: the others too
)

// derived is the build folder, below the agent's folder.
const derived = ".build"

// The platforms of destinations that the agent runs on, and the SDKs for building it.
const (
	IOS          = "iOS"
	IOSSimulator = "iOS Simulator"

	SimulatorSDK = "iphonesimulator"
	DeviceSDK    = "iphoneos"
)

// destinationWait is how many seconds xcodebuild waits for its destination. Its own 30 are too few for a device that Xcode prepares
// after a restart or an update.
const destinationWait = "180"

// Destination is one device in xcodebuild's form, or any device of the platform if the id is empty. The platform is always part of it:
// newer runtimes are not found by their id alone.
func Destination(platform, id string) string {
	if id == "" {
		return "generic/platform=" + platform
	}
	return "platform=" + platform + ",id=" + id
}

// AgentProducts is the folder of the build products.
func AgentProducts(folder string) string { return filepath.Join(folder, derived, "Build", "Products") }

// platforms maps SDKs to platforms.
var platforms = map[string]string{SimulatorSDK: IOSSimulator, DeviceSDK: IOS}

// AgentBuild selects the agent to build.
type AgentBuild struct {
	Xcodebuild string // the program
	Folder     string // of the project
	SDK        string // SimulatorSDK or DeviceSDK
	UDID       string // a device for the agent: only its architecture is built; the product runs on every device with the same one
	Team       string // that signs it for a physical device
}

// Command is the command that builds the agent.
func (b AgentBuild) Command() host.Cmd {
	args := []string{
		"build-for-testing", "-project", filepath.Join(b.Folder, AgentProject), "-scheme", AgentScheme,
		"-destination", Destination(platforms[b.SDK], b.UDID), "-destination-timeout", destinationWait,
		"-derivedDataPath", filepath.Join(b.Folder, derived), "ONLY_ACTIVE_ARCH=YES",
	}
	if b.Team != "" { // Xcode creates a certificate and a profile. It does not register devices: a team has only a hundred a year
		args = append(args, "-allowProvisioningUpdates", "DEVELOPMENT_TEAM="+b.Team)
	}
	return host.Cmd{Name: b.Xcodebuild, Args: append(args, "COMPILER_INDEX_STORE_ENABLE=NO"), Dir: b.Folder}
}

// Agent selects the agent to run, and the device.
type Agent struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	UDID       string
	SDK        string // that the products were built with; empty is SimulatorSDK
	Derived    string // its own folder for xcodebuild's result bundle and logs
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
			Destination(cmp.Or(platforms[a.SDK], IOSSimulator), a.UDID), "-destination-timeout", destinationWait,
			"-parallel-testing-enabled", "NO", "-derivedDataPath", a.Derived, "-collect-test-diagnostics", "never",
			"-only-testing:" + AgentTest,
		},
		Env: []string{
			RunnerPrefix + PortVariable + "=" + strconv.Itoa(a.Port),
			RunnerPrefix + AuthVariable + "=" + a.Token,
			RunnerPrefix + BuildVariable + "=" + a.Build,
			RunnerPrefix + PublicVariable + "=" + map[bool]string{true: "1", false: "0"}[a.PublicOnly],
		},
	}
	if a.SDK == DeviceSDK {
		cmd.Env = append(cmd.Env, RunnerPrefix+UDIDVariable+"="+a.UDID)
	}
	return cmd
}

// Prebuilt runs the tests of existing products, such as WebDriverAgent's.
type Prebuilt struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	SDK        string // that the products were built with
	UDID       string
	Derived    string            // its own folder for xcodebuild's result bundle and logs
	Env        map[string]string // of the test runner
}

// Command is the command that runs the tests; it ends when they do.
func (p Prebuilt) Command() host.Cmd {
	cmd := host.Cmd{
		Name: p.Xcodebuild,
		Args: []string{
			"test-without-building", "-xctestrun", p.Products, "-destination", Destination(platforms[p.SDK], p.UDID),
			"-destination-timeout", destinationWait, "-parallel-testing-enabled", "NO",
			"-derivedDataPath", p.Derived, "-collect-test-diagnostics", "never",
		},
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		cmd.Env = append(cmd.Env, RunnerPrefix+name+"="+p.Env[name])
	}
	return cmd
}

// signing are the beginnings of Xcode's messages about signing problems, which have no code.
var signing = lazyregexp.New(`error: (?:Signing for "|No profiles for '|No Accounts?\b|No signing certificate|Provisioning profile |` +
	`Failed to register bundle identifier|Device "[^"]*" isn't registered|Your account |Communication with Apple failed)`)

// IsSigningError reports whether a line of a build reports a signing problem.
func IsSigningError(line string) bool { return signing.MatchString(line) }

// profileRefusal are the codes of a device that does not install an app because of its signature or its provisioning profile.
var profileRefusal = lazyregexp.New(`\b0xe80080[0-9a-f]{2}\b`)

// IsProfileRefusal reports whether a line of a run reports that the device refused the signature of the tests.
func IsProfileRefusal(line string) bool { return profileRefusal.MatchString(line) }
