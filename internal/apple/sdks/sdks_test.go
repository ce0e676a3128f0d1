package sdks

import (
	"bytes"
	"testing"

	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"xcodebuild"}, Sniff, Read, func(t *testing.T, s samples.Sample, l *List) string {
		if want := bytes.Count(s.Data, []byte(`"canonicalName"`)); len(l.SDKs) != want {
			t.Errorf("%d SDKs, want %d", len(l.SDKs), want)
		}
		return ""
	})
}

func TestSDKListIsReadFromText(t *testing.T) {
	for in, want := range map[string]SDK{
		"iOS SDKs:\n\tiOS 18.5                      \t-sdk iphoneos18.5\n": {Name: "iphoneos18.5", Display: "iOS 18.5"},
		"iPhoneOS18.5.sdk - iOS 18.5 (iphoneos18.5)\nSDKVersion: 18.5\nPath: /a b/x.sdk\nProductBuildVersion: 22F76\n\nXcode 16.4\n" +
			"Build version 16F6\n": {
			Name: "iphoneos18.5", Display: "iOS 18.5", Version: "18.5", Path: "/a b/x.sdk", Build: "22F76"},
	} {
		l, err := Read([]byte(in))
		if err != nil || Sniff([]byte(in)) < 90 || len(l.SDKs) != 1 {
			t.Fatal(err, Sniff([]byte(in)), l)
		}
		if g := l.SDKs[0]; g.Name != want.Name || g.Display != want.Display || g.Path != want.Path || g.Build != want.Build ||
			g.Version != want.Version {
			t.Errorf("%+v", g)
		}
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "iOS SDKs:\n\tiOS 18.5 \t-sdk iphoneos18.5\n", `[{"canonicalName":"a","sdkPath":"/b"}]`)
}
