// Package xcodebuild builds the command lines of xcodebuild. So far it is used for one thing: starting the XCTest agent
// on a device.
package xcodebuild

import (
	"path/filepath"
	"strconv"
	"strings"

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

// AgentRunner is the bundle id of the app in which the agent runs.
const AgentRunner = "com.iosagent.uitests.xctrunner"

// derived is where the agent is built, below its folder.
const derived = ".build"

// AgentProducts is the folder of what was built.
func AgentProducts(folder string) string { return filepath.Join(folder, derived, "Build", "Products") }

// BuildAgent is the command that builds the agent for a platform: iphonesimulator or iphoneos.
func BuildAgent(program, folder, platform string) host.Cmd {
	destination := "generic/platform=iOS Simulator"
	if strings.HasPrefix(platform, "iphoneos") {
		destination = "generic/platform=iOS"
	}
	return host.Cmd{
		Name: program,
		Args: []string{
			"build-for-testing", "-project", filepath.Join(folder, AgentProject), "-scheme", AgentScheme,
			"-destination", destination, "-derivedDataPath", filepath.Join(folder, derived),
		},
		Dir: folder,
	}
}

// Agent says which agent to run where.
type Agent struct {
	Xcodebuild string // the program
	Products   string // the .xctestrun
	UDID       string
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
			"test-without-building", "-xctestrun", a.Products, "-destination", "id=" + a.UDID, "-only-testing:" + AgentTest,
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
