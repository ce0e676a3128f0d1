package kinds_test

import (
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/apple/kinds"
	"ios-agent/internal/fault"
	"ios-agent/test/samples"
)

// ofFolder is what the files of a folder are; a folder that is not here holds other things than these readers read.
var ofFolder = map[string]string{
	"xcodebuild": "build-log", "xcresult": "xcresult", "devicectl": "devicectl", "simctl": "simctl", "tool-errors": "tool-error",
	"crash": "crash", "oslog": "oslog",
}

// exceptions are files that are something else than their folder says, and why.
var exceptions = map[string]struct{ kind, why string }{
	"list-alamofire-xcode26.5.0.json":            {"schemes", "the answer of -list"},
	"list-kingfisher-xcode15.4.0.json":           {"schemes", "the answer of -list"},
	"sdks-fastlane-xcode14.txt":                  {"sdks", "the answer of -showsdks"},
	"sdks-fastlane-xcode26.txt":                  {"sdks", "the answer of -showsdks"},
	"showsdks-xcode16.4.0.json":                  {"sdks", "the answer of -showsdks"},
	"showBuildSettings-rn.txt":                   {"build-settings", "the answer of -showBuildSettings"},
	"showBuildSettings-scratch-xcode15.4.0.json": {"build-settings", "the answer of -showBuildSettings"},
	"showBuildSettings-scratch-xcode26.5.0.json": {"build-settings", "the answer of -showBuildSettings"},
	"showBuildSettings-xctool-tests-5.0.txt":     {"build-settings", "the answer of -showBuildSettings"},
	"showdestinations-xcode16.2.txt":             {"destinations", "the answer of -showdestinations"},
	"nvim-tc9.log":                               {"tool-error", "xcodebuild refused before its first step: packages could not be resolved"},
	"xctool-objc-build.txt":                      {"", "the event stream of xctool, which is not Apple's"},
	"lldb-attach-stopped.txt":                    {"", "what the debugger shows is no error"},
	"devicectl-launch-console.txt":               {"devicectl", "its progress, not an error"},
	"axe-error-unknown-option.stderr.txt":        {"tool-error", "AXe's refusal, in the form of Swift's argument parser"},
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
			for _, k := range kinds.All() {
				n := k.Sniff(s.Data)
				if n > 0 {
					scores[k.Name] = n
				}
				if n >= 50 {
					found += k.Name + " "
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

func TestFoundKindReadsBuildLog(t *testing.T) {
	log := "CompileSwift normal arm64\n"
	for line := range 30 {
		log += fmt.Sprintf("/src/A.swift:%d:5: error: cannot find 'x%d' in scope\n", line, line)
	}
	k, err := kinds.All().Find("", []byte(log+"** BUILD FAILED **\n"))
	if err != nil || k.Name != "build-log" {
		t.Fatalf("%s, %v", k.Name, err)
	}
	r, err := k.Read([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	short, whole := r.Text(3), r.Text(0)
	if n := strings.Count(short, "\n"); n > 3 || !strings.Contains(whole, "'x29'") || len(short) >= len(whole) {
		t.Errorf("%d lines:\n%s\nof\n%s", n+1, short, whole)
	}
	if r.Value() == nil {
		t.Error("there is no value")
	}
	k, err = kinds.All().Find("crash", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Read([]byte("no crash report")); !fault.Is(err, fault.ParseFailed) {
		t.Errorf("what is no crash report: %v", err)
	}
}
