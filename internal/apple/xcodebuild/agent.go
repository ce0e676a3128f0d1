// Package xcodebuild builds the command lines of xcodebuild. So far it is used for one thing: starting the XCTest agent
// on a device.
package xcodebuild

import (
	"path/filepath"
	"strconv"

	"ios-agent/internal/host"
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
	RunnerPrefix = "TEST_RUNNER_"
	PortVariable = "IOS_AGENT_PORT"
	AuthVariable = "IOS_AGENT_TOKEN"
)

// Agent says which agent to run where.
type Agent struct {
	Xcodebuild string // the program
	Folder     string // holds the project and its products
	UDID       string
	Port       int
	Token      string
}

// Command is the command that runs the agent; it ends when the agent does.
func (a Agent) Command() host.Cmd {
	return host.Cmd{
		Name: a.Xcodebuild,
		Args: []string{
			"test-without-building",
			"-project", filepath.Join(a.Folder, AgentProject),
			"-scheme", AgentScheme,
			"-destination", "id=" + a.UDID,
			"-derivedDataPath", filepath.Join(a.Folder, ".build"),
			"-only-testing", AgentTest,
		},
		Env: []string{
			RunnerPrefix + PortVariable + "=" + strconv.Itoa(a.Port),
			RunnerPrefix + AuthVariable + "=" + a.Token,
		},
	}
}
