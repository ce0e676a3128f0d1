package main

import (
	"os"
	"path/filepath"
	"runtime"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/virtualxcode"
)

// toolchainVariable chooses Apple's tools or ours.
const toolchainVariable = "IOS_AGENT_TOOLCHAIN"

// toolchainName says which tools to use. Where Apple's cannot exist ours are the default; on a Mac they are never
// chosen silently.
func toolchainName() (string, error) {
	switch name := os.Getenv(toolchainVariable); name {
	case apple.Virtual, apple.Xcode:
		return name, nil
	case "":
	default:
		return "", fault.New(fault.InvalidInput, "%s is %q", toolchainVariable, name).
			WithHint("it is %s or %s; unset, it is what this machine has", apple.Xcode, apple.Virtual)
	}
	if runtime.GOOS == "darwin" {
		return apple.Xcode, nil
	}
	return apple.Virtual, nil
}

// toolchain finds the tools; the virtual ones are mounted first.
func toolchain(h home.Home, name string) (apple.Toolchain, error) {
	if name != apple.Virtual {
		user, _ := os.UserHomeDir() // without one there are no reports to find
		return apple.Toolchain{Name: name, Reports: filepath.Join(user, "Library", "Logs", "DiagnosticReports")}, nil
	}
	x, err := virtualOf(h)
	if err != nil {
		return apple.Toolchain{}, err
	}
	return apple.Toolchain{Name: name, Bin: x.Bin(), Reports: x.Reports()}, nil
}

// virtualOf is the virtual Xcode of a home, mounted and ready.
func virtualOf(h home.Home) (virtualxcode.Xcode, error) {
	build, err := self.Current()
	if err != nil {
		return virtualxcode.Xcode{}, fault.New(fault.Internal, "reading our own binary: %w", err)
	}
	binary, err := self.Copy(h.Version(build.ID))
	if err != nil {
		return virtualxcode.Xcode{}, fault.New(fault.PathError, "%w", err)
	}
	x := virtual(h.Virtual(), binary)
	if err := x.Mount(); err != nil {
		return x, fault.New(fault.PathError, "%w", err)
	}
	return x, nil
}
