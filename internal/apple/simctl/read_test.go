package simctl

import (
	"fmt"
	"strings"
	"testing"

	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"simctl"}, Sniff, Read, func(t *testing.T, s samples.Sample, o *Output) string {
		if o.List != nil {
			return fmt.Sprintf("devices %d, runtimes %d, types %d, pairs %d, not understood %d", len(o.List.Devices),
				len(o.List.Runtimes), len(o.List.DeviceTypes), len(o.List.Pairs), len(o.List.Raw)+len(o.List.Unparsed))
		}
		if want := strings.Count(string(s.Data), "CFBundleExecutable = "); len(o.Apps) != want {
			t.Errorf("%d apps, want %d", len(o.Apps), want)
		}
		return ""
	})
}

func TestParseAppsReadsSingleApp(t *testing.T) {
	apps, err := ParseApps([]byte("{\n    ApplicationType = User;\n    CFBundleIdentifier = \"com.a\";\n    CFBundleName = \"A " +
		"{b}\";\n    CFBundleVersion = 1;\n}\n"))
	if err != nil || len(apps) != 1 || apps[0].BundleID != "com.a" || apps[0].Name != "A {b}" || apps[0].Version != "1" {
		t.Errorf("%+v, %v", apps, err)
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "{\n\t\"a.b\" =     {\n\t\tApplicationType = User;\n\t\tSBAppTags = ( x );\n\t};\n}",
		`{"devices":{}}`, "== Devices ==\n-- iOS 17.0 --\n", `{"a":{"sdkVersion":"1","sdkBuild":"2"}}`)
}
