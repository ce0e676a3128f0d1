package pool

import "strings"

// SameOS reports whether a device's system, such as "iOS 18.2", matches "18", "18.2" or "iOS 18.2". A version matches all versions that
// begin with its numbers; 18 does not match 180.
func SameOS(has, asked string) bool {
	hasPlatform, hasVersion := splitOS(has)
	platform, version := splitOS(asked)
	if platform != "" && !strings.EqualFold(platform, hasPlatform) || version == "" {
		return false
	}
	return hasVersion == version || strings.HasPrefix(hasVersion, version+".") && !strings.HasSuffix(version, ".")
}

func splitOS(s string) (platform, version string) {
	s = strings.TrimSpace(s)
	at := strings.IndexAny(s, "0123456789")
	if at < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[:at]), s[at:]
}
