package settings

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ios-agent/test/samples"
)

var rawSetting = regexp.MustCompile(`(?m)^    ([A-Z_a-z][A-Za-z0-9_]*) =(?: (.*))?$`)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"xcodebuild"}, Sniff, Read, func(t *testing.T, s samples.Sample, l *List) string {
		n := len(l.CommandLine)
		for _, x := range l.Targets {
			n += len(x.Settings)
		}
		want := len(rawSetting.FindAll(s.Data, -1))
		if strings.HasSuffix(s.Name, ".json") {
			var doc []struct{ BuildSettings map[string]string }
			if err := json.Unmarshal(s.Data, &doc); err != nil {
				t.Fatal(err)
			}
			want = 0
			for _, d := range doc {
				want += len(d.BuildSettings)
			}
		} else {
			all, _ := json.Marshal(l)
			for _, m := range rawSetting.FindAllSubmatch(s.Data, -1) {
				pair, _ := json.Marshal(map[string]string{string(m[1]): strings.TrimRight(string(m[2]), "\r")})
				samples.Contains(t, "setting", string(all), []string{strings.Trim(string(pair), "{}")})
			}
		}
		if n != want {
			t.Errorf("%d settings, want %d", n, want)
		}
		return fmt.Sprintf("settings %d, targets %d, remarks %d", n, len(l.Targets), len(l.Remarks))
	})
}

func TestBuildSettingsAreReadFromText(t *testing.T) {
	l, err := Read([]byte("Command line invocation:\n    x\n\nBuild settings for action build and target \"My App\":\n    A = \n" +
		"    B[sdk=iphoneos*] = two = three\n    BUILT_PRODUCTS_DIR = /b\n    FULL_PRODUCT_NAME = A.app\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	x := l.Targets[0]
	if x.Target != "My App" || x.Settings["B[sdk=iphoneos*]"] != "two = three" || x.Product() != "/b/A.app" || len(x.Settings) != 4 {
		t.Errorf("%+v", l)
	}
	for _, bad := range []string{"", "Build settings", `[{"buildSettings":`} {
		if _, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "Build settings for action build and target A:\n    B = c\n",
		`[{"action":"build","buildSettings":{"A":"b"},"target":"T"}]`)
}
