package xcodebuild

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/xcresult"
)

// samples is the folder with recordings of the real tools, which do not come with the project.
func samples(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no samples of the real tools: set IOS_AGENT_SAMPLES or put them at %s", dir)
	}
	return dir
}

func TestMarksNameRealSamples(t *testing.T) {
	dir := samples(t)
	for _, m := range append(Marks(), xcresult.Marks()...) {
		if name, observed := m.Sample(); observed {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: %v", m.Behaviour, err)
			}
		}
	}
}

// entries are the objects of a JSON list.
func entries(t *testing.T, data []byte) (all []map[string]any) {
	t.Helper()
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		t.Fatalf("%v: %s", err, data)
	}
	return all
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples(t), name))
	if err != nil {
		t.Skip(err)
	}
	return data
}

// TestSDKsAreAsRecorded: of the SDKs we have, everything but the build's identifier is as in the sample.
func TestSDKsAreAsRecorded(t *testing.T) {
	real := map[any]map[string]any{}
	for _, e := range entries(t, read(t, "xcodebuild/showsdks-xcode16.4.0.json")) {
		real[e["canonicalName"]] = e
	}
	b := newBench(t, "")
	b.must(0, "-showsdks", "-json")
	for _, e := range entries(t, []byte(b.out.String())) {
		for key, value := range e {
			want, there := real[e["canonicalName"]][key]
			if !there || (key == "platform" || key == "sdkVersion" || key == "productBuildVersion") && want != value {
				t.Errorf("%v: %s is %v, not %v", e["canonicalName"], key, value, want)
			}
		}
	}
}

// TestBuildSettingsHaveNamesOfXcode: every setting of ours is one that Xcode prints, unless the project defined it.
func TestBuildSettingsHaveNamesOfXcode(t *testing.T) {
	real := map[string]any{}
	for _, name := range []string{"xcodebuild/showBuildSettings-scratch-xcode15.4.0.json",
		"xcodebuild/showBuildSettings-scratch-xcode26.5.0.json"} {
		for _, e := range entries(t, read(t, name)) {
			for key, value := range e["buildSettings"].(map[string]any) {
				real[key] = value
			}
			if len(e) != 3 {
				t.Errorf("the sample has %d keys", len(e))
			}
		}
	}
	text := string(read(t, "xcodebuild/showBuildSettings-rn.txt"))
	b := newBench(t, project.SampleApp)
	s := &session{options: options{}}
	var err error
	if s.container, err = project.Open(filepath.Join(b.dir, "Tally.xcodeproj")); err != nil {
		t.Fatal(err)
	}
	s.destination.platform, _ = platformOf("iphonesimulator")
	p, target, _ := s.container.Owner("Tally")
	for key := range s.builtin(p, target) {
		if _, ok := real[key]; !ok && !strings.Contains(text, "    "+key+" = ") {
			t.Errorf("no sample has the setting %s", key)
		}
	}
}
