package xcodebuild

import "testing"

func TestParseVersionReadsReleaseAndBuild(t *testing.T) {
	for text, want := range map[string]Release{
		"Xcode 16.4\nBuild version 16F6\n":                        {"16.4", "16F6"},
		"a remark\nXcode 26.0 \r\nBuild version 17A5241e\r\n":     {"26.0", "17A5241e"},
		"Xcode 16\nsomething else\nBuild version 16A242d\n":       {},
		"xcode-select: error: tool 'xcodebuild' requires Xcode\n": {},
	} {
		got, err := ParseVersion([]byte(text))
		if got != want || (err == nil) != (want.Build != "") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
