// Package apple describes the sets of Apple's tools: a Toolchain says where the tools are and whether their devices are virtual. Each
// package below it handles one tool: argv out, typed result in.
package apple

import "path/filepath"

// The toolchains. Answers name their toolchain, so that a virtual device is never mistaken for a real one.
const (
	Xcode   = "xcode"
	Virtual = "virtual"
)

// ToolchainVariable is the environment variable that chooses a toolchain by its name.
const ToolchainVariable = "IOS_AGENT_TOOLCHAIN"

// Toolchain is one set of Apple's tools.
type Toolchain struct {
	Name string
	Bin  string // the folder of the tools; empty: found through PATH
	// Reports is the folder of the crash reports of simulated apps.
	Reports string
}

// Mark is appended to the first line of answers from virtual devices; empty for real ones.
func (t Toolchain) Mark() string {
	if t.Name == Virtual {
		return " [" + Virtual + "]"
	}
	return ""
}

// Tool is the program to execute for one of Apple's tools.
func (t Toolchain) Tool(name string) string {
	if t.Bin == "" {
		return name
	}
	return filepath.Join(t.Bin, name)
}

// SimulatorApps are the possible places of the app that shows simulators, for the Xcode of a developer folder: Simulator, or from Xcode 27
// on Device Hub, next to that folder.
func SimulatorApps(developer string) []string {
	return []string{
		filepath.Join(developer, "Applications", "Simulator.app"), filepath.Join(filepath.Dir(developer), "Applications", "DeviceHub.app"),
	}
}
