package schemes

import (
	"slices"
	"testing"

	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"xcodebuild"}, Sniff, Read, func(*testing.T, samples.Sample, *List) string { return "" })
}

func TestSchemeListIsReadFromTextAndJSON(t *testing.T) {
	text := "Command line invocation:\n    /x -list\n\nInformation about project \"My App\":\n    Targets:\n        A\n        " +
		"B C\n\n    Build Configurations:\n        Debug\n        Release\n\n" +
		"    If no build configuration is specified and -scheme is not passed then \"Release\" is used.\n\n    Schemes:\n        A\n"
	doc := `{"project":{"configurations":["Debug","Release"],"name":"My App","schemes":["A"],"targets":["A","B C"],"new":1}}`
	for _, in := range []string{text, doc} {
		l, err := Read([]byte(in))
		if err != nil || Sniff([]byte(in)) < 90 {
			t.Fatal(err, Sniff([]byte(in)))
		}
		if l.Kind != "project" || l.Name != "My App" || !slices.Equal(l.Schemes, []string{"A"}) ||
			!slices.Equal(l.Targets, []string{"A", "B C"}) || !slices.Equal(l.Configurations, []string{"Debug", "Release"}) {
			t.Errorf("%+v", l)
		}
	}
	if l, _ := Read([]byte(text)); l.DefaultConfiguration != "Release" {
		t.Errorf("%+v", l)
	}
	if l, _ := Read([]byte(doc)); string(l.Extra["new"]) != "1" {
		t.Errorf("%+v", l)
	}
	for _, bad := range []string{"", "{}", "text"} {
		if _, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, "Information about workspace \"A\":\n    Schemes:\n        B\n", `{"workspace":{"name":"A","schemes":["B"]}}`)
}
