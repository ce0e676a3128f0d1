package apple_test

import (
	"fmt"
	"testing"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/crash"
	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/oslog"
	"ios-agent/internal/apple/samples"
	"ios-agent/internal/apple/schemes"
	"ios-agent/internal/apple/sdks"
	"ios-agent/internal/apple/settings"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/toolerror"
	"ios-agent/internal/apple/xcresult"
)

var sniffers = map[string]func([]byte) int{
	"buildlog": buildlog.Sniff, "xcresult": xcresult.Sniff, "settings": settings.Sniff, "schemes": schemes.Sniff, "sdks": sdks.Sniff,
	"destinations": destinations.Sniff, "devicectl": devicectl.Sniff, "simctl": simctl.Sniff, "toolerror": toolerror.Sniff, "crash": crash.Sniff, "oslog": oslog.Sniff,
}

// ofFolder is what the files of a folder are; a folder that is not here holds other things than these readers read.
var ofFolder = map[string]string{
	"xcodebuild": "buildlog", "xcresult": "xcresult", "devicectl": "devicectl", "simctl": "simctl", "tool-errors": "toolerror", "crash": "crash", "oslog": "oslog",
}

// exceptions are files that are something else than their folder says, and why.
var exceptions = map[string]struct{ kind, why string }{
	"list-alamofire-xcode26.5.0.json":            {"schemes", "the answer of -list"},
	"list-kingfisher-xcode15.4.0.json":           {"schemes", "the answer of -list"},
	"sdks-fastlane-xcode14.txt":                  {"sdks", "the answer of -showsdks"},
	"sdks-fastlane-xcode26.txt":                  {"sdks", "the answer of -showsdks"},
	"showsdks-xcode16.4.0.json":                  {"sdks", "the answer of -showsdks"},
	"showBuildSettings-rn.txt":                   {"settings", "the answer of -showBuildSettings"},
	"showBuildSettings-scratch-xcode15.4.0.json": {"settings", "the answer of -showBuildSettings"},
	"showBuildSettings-scratch-xcode26.5.0.json": {"settings", "the answer of -showBuildSettings"},
	"showBuildSettings-xctool-tests-5.0.txt":     {"settings", "the answer of -showBuildSettings"},
	"showdestinations-xcode16.2.txt":             {"destinations", "the answer of -showdestinations"},
	"nvim-tc9.log":                               {"toolerror", "xcodebuild refused before its first step: packages could not be resolved"},
	"xctool-objc-build.txt":                      {"", "the event stream of xctool, which is not Apple's"},
	"lldb-attach-stopped.txt":                    {"", "what the debugger shows is no error"},
	"devicectl-launch-console.txt":               {"devicectl", "its progress, not an error"},
	"axe-error-unknown-option.stderr.txt":        {"toolerror", "AXe's refusal, in the form of Swift's argument parser"},
}

func TestSniffingFindsTheKindOfEverySample(t *testing.T) {
	for _, folder := range samples.Kinds(t) {
		for _, s := range samples.Of(t, folder) {
			want := ofFolder[folder]
			why := ""
			if e, ok := exceptions[s.Name]; ok {
				want, why = e.kind, " ("+e.why+")"
			}
			found := ""
			scores := map[string]int{}
			for name, sniff := range sniffers {
				n := sniff(s.Data)
				if n > 0 {
					scores[name] = n
				}
				if n >= 50 {
					found += name + " "
				}
			}
			if want != "" {
				want += " "
			}
			if found != want {
				t.Errorf("%s/%s: found %q, want %q%s; %s", folder, s.Name, found, want, why, fmt.Sprint(scores))
			}
		}
	}
}
