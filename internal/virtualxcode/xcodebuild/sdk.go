package xcodebuild

import "strings"

// Version is the Xcode that is played, as its other tools name it.
func Version() string { return xcodeVersion + " (" + xcodeBuild + ")" }

// Mac is the name and the id of the Mac that builds.
func Mac() (name, id string) { return macName, macID }

// SDK is what can be told of an SDK.
type SDK struct {
	Path, Version, Build          string
	PlatformPath, PlatformVersion string
}

// FindSDK finds an SDK by name, with its version or without; the empty name is the Mac's.
func FindSDK(name string) (SDK, bool) {
	if name == "" {
		name = "macosx"
	}
	for _, p := range platforms {
		if p.sdk == strings.TrimSuffix(name, p.version) || p.sdkPath() == name {
			return SDK{Path: p.sdkPath(), Version: p.version, Build: p.build, PlatformPath: p.path(), PlatformVersion: p.version}, true
		}
	}
	return SDK{}, false
}
