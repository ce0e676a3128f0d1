package xcodebuild

import "strings"

// Version is the version of the imitated Xcode, for its other tools.
func Version() string { return xcodeVersion + " (" + xcodeBuild + ")" }

// Mac is the name and the id of the build machine.
func Mac() (name, id string) { return macName, macID }

// SDK describes an SDK.
type SDK struct {
	Path, Version, Build          string
	PlatformPath, PlatformVersion string
}

// FindSDK finds an SDK by name, with or without its version; the empty name is the Mac's SDK.
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
