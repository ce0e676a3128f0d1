// Package apple says where Apple's tools are. The packages below it speak to one tool each: argv out, typed result in.
package apple

import "path/filepath"

// The toolchains there are. Answers name the one they came from, so that a virtual device is never taken for a real
// one.
const (
	Xcode   = "xcode"
	Virtual = "virtual"
)

// Toolchain is one set of Apple's tools.
type Toolchain struct {
	Name string
	Bin  string // the folder of the tools; empty: found through PATH
	// Reports is the folder in which the crash reports of simulated apps appear.
	Reports string
}

// Mark stands at the end of the first line of an answer of virtual devices; empty for real ones.
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

// SimulatorApps are the places where the Xcode of a developer folder may have the app that shows simulators: Simulator, or from
// Xcode 27 on Device Hub, which is beside that folder.
func SimulatorApps(developer string) []string {
	return []string{
		filepath.Join(developer, "Applications", "Simulator.app"), filepath.Join(filepath.Dir(developer), "Applications", "DeviceHub.app"),
	}
}
