package main

import (
	"os"
	"path/filepath"
	"runtime"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
)

// toolchainVariable chooses Apple's tools or ours.
const toolchainVariable = apple.ToolchainVariable

// toolchainName says which tools to use. Where Apple's tools cannot exist, virtual tools are the default, if this binary has them; on a
// Mac they are never chosen silently.
func toolchainName() (string, error) {
	switch name := os.Getenv(toolchainVariable); name {
	case apple.Virtual:
		if !hasVirtual {
			return "", noVirtual()
		}
		return name, nil
	case apple.Xcode:
		return name, nil
	case "":
	default:
		return "", fault.New(fault.InvalidInput, "%s is %q", toolchainVariable, name).
			WithHint("it is %s or %s; unset, it is what this machine has", apple.Xcode, apple.Virtual)
	}
	if runtime.GOOS == "darwin" || !hasVirtual {
		return apple.Xcode, nil
	}
	return apple.Virtual, nil
}

// noVirtual is the fault of a binary that was built without Virtual Xcode.
func noVirtual() error {
	return fault.New(fault.Unsupported, "this binary was built without Virtual Xcode").
		WithHint("build it without the tag novirtual, or set %s=%s to use Apple's tools on a Mac", toolchainVariable, apple.Xcode)
}

// toolchain finds the tools and mounts the virtual ones first.
func toolchain(h home.Home, name string) (apple.Toolchain, error) {
	if name != apple.Virtual {
		user, _ := os.UserHomeDir() // without a home folder: no reports
		return apple.Toolchain{Name: name, Reports: filepath.Join(user, "Library", "Logs", "DiagnosticReports")}, nil
	}
	return virtualToolchain(h)
}
