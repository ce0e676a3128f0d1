package simctl

import (
	"strings"
	"unicode"
)

const runtimePrefix = "com.apple.CoreSimulator.SimRuntime."

// visionOS has its working title in ids.
const (
	visionName = "visionOS"
	visionID   = "xrOS"
)

// RuntimeID makes the id of a runtime: ("iOS", "18.5") → com.apple.CoreSimulator.SimRuntime.iOS-18-5.
func RuntimeID(platform, version string) string {
	if platform == visionName {
		platform = visionID
	}
	return runtimePrefix + platform + "-" + strings.ReplaceAll(version, ".", "-")
}

// SplitRuntimeID is the reverse of RuntimeID. Ids carry two numbers of the version only: iOS 10.3.1 is iOS-10-3.
func SplitRuntimeID(id string) (platform, version string, ok bool) {
	rest, ok := strings.CutPrefix(id, runtimePrefix)
	if !ok {
		return "", "", false
	}
	platform, version, _ = strings.Cut(rest, "-")
	version = strings.ReplaceAll(version, "-", ".")
	if platform == visionID {
		platform = visionName
	}
	return platform, version, platform != "" && isVersion(version)
}

// RuntimeName converts the id of a runtime to its display name: "iOS 18.5"; other texts stay unchanged.
func RuntimeName(id string) string {
	platform, version, ok := SplitRuntimeID(id)
	if !ok {
		return id
	}
	return platform + " " + version
}

// SplitRuntimeName splits "iOS 18.5" into its parts.
func SplitRuntimeName(name string) (platform, version string, ok bool) {
	platform, version, ok = strings.Cut(name, " ")
	return platform, version, ok && platform != "" && isVersion(version)
}

func isVersion(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsDigit(r) }) {
			return false
		}
	}
	return true
}
