package destinations

import (
	"bytes"
	"testing"

	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"xcodebuild"}, Sniff, Read, func(t *testing.T, s samples.Sample, l List) string {
		if want := bytes.Count(s.Data, []byte("{ ")); len(l.Available)+len(l.Ineligible) != want {
			t.Errorf("%d and %d, want %d", len(l.Available), len(l.Ineligible), want)
		}
		for _, d := range append(l.Available, l.Ineligible...) {
			if d.Name == "" || d.Platform == "" && d.Raw == "" {
				t.Errorf("incomplete: %+v", d)
			}
		}
		return ""
	})
}

// The headings of Xcode 27.
func TestXcode27HeadingsAreRead(t *testing.T) {
	const text = "\tDestinations compatible with the \"A\" scheme:\n\t\t{ platform:iOS, id:1, name:x }\n\n" +
		"\tDestinations incompatible with the \"A\" scheme:\n\t\t{ platform:iOS, id:2, name:y, error:z }\n"
	l, err := Read([]byte(text))
	if err != nil || l.Scheme != "A" || len(l.Available) != 1 || len(l.Ineligible) != 1 || Sniff([]byte(text)) < 50 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestParseLineReadsDestinationFields(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{ platform:macOS, arch:arm64, variant:Designed for [iPad,iPhone], id:1-2, name:My Mac }",
			"macOS, arch:arm64, variant:Designed for [iPad,iPhone], name:My Mac, id:1-2"},
		{"\t\t{ platform:iOS, id:dvtdevice-DVTiPhonePlaceholder-iphoneos:placeholder, name:Any iOS Device }",
			"iOS, name:Any iOS Device, id:dvtdevice-DVTiPhonePlaceholder-iphoneos:placeholder"},
		{"{ platform:iOS, name:A, B, error:Not installed, name: x }", "iOS, name:A, B — Not installed, name: x"},
		{"{ platform:iOS Simulator, id:5, OS:18.2, name:iPhone SE (3rd generation) }",
			"iOS Simulator, OS:18.2, name:iPhone SE (3rd generation), id:5"},
	} {
		d, ok := ParseLine(c.in)
		if !ok || d.String() != c.want {
			t.Errorf("%s: %q", c.in, d.String())
		}
	}
	for _, bad := range []string{"", "{ }", "{ a b }", "platform:iOS", "{\"platform\":1}"} {
		if d, ok := ParseLine(bad); ok {
			t.Errorf("%q: %+v", bad, d)
		}
	}
	if d, _ := ParseLine("{ platform:iOS, id:dvtdevice-x:placeholder, name:Any iOS Device }"); !d.Placeholder() {
		t.Error("not taken for a placeholder")
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "\tAvailable destinations for the \"A\" scheme:\n\t\t{ platform:iOS, name:x }\n")
}
