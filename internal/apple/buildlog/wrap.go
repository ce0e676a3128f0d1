package buildlog

import (
	"regexp"
	"strings"
)

// Other programs run xcodebuild and put something before its lines: fastlane a time and an arrow, EAS the name of its
// phase, GitHub Actions a time stamp.
var wrapping = regexp.MustCompile(
	`^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{5,}Z |\[[A-Z]+(?:_[A-Z]+)+\] |\[\d\d:\d\d:\d\d\]: )+`)

// unwrap takes such a prefix off.
func unwrap(s string) string {
	if len(s) < 2 {
		return s
	}
	if c := s[0]; c == '[' || c == '2' {
		s = s[len(wrapping.FindString(s)):]
	}
	if rest, ok := strings.CutPrefix(s, "▸ "); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(s, "##[error]"); ok {
		return "error: " + strings.TrimPrefix(rest, "error: ")
	}
	return s
}
