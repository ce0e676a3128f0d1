package buildlog

import (
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// Programs that run xcodebuild put a prefix before its lines: fastlane a time and an arrow, EAS the name of its phase, GitHub Actions a
// time stamp.
var wrapping = lazyregexp.New(
	`^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{5,}Z |\[[A-Z]+(?:_[A-Z]+)+\] |\[\d\d:\d\d:\d\d\]: )+`)

// unwrap removes such prefixes, also nested ones.
func unwrap(s string) string {
	for range 4 {
		before := len(s)
		if before > 1 && (s[0] == '[' || s[0] == '2') {
			s = s[len(wrapping.FindString(s)):]
		}
		s = strings.TrimPrefix(s, "▸ ")
		if len(s) == before {
			break
		}
	}
	if rest, ok := strings.CutPrefix(s, "##[error]"); ok {
		return "error: " + strings.TrimPrefix(rest, "error: ")
	}
	return s
}
