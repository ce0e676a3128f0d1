package house_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
)

// What is scaffolded, and every sample that compiles, is built, runs and shows a screen with its name.
func TestSamplesAndScaffoldsRun(t *testing.T) {
	h := house.New(t)
	dir := t.TempDir()
	for _, sample := range []struct{ name, app, on string }{
		{"app", "Tally", "iPhone 16"}, {"failing", "Failing", "iPhone 16"}, {"watchos", "Steps", "Apple Watch Series 10 (46mm)"},
		{"tvos", "Cinema", "Apple TV 4K (3rd generation)"}, {"visionos", "Orbit", "Apple Vision Pro"},
	} {
		t.Run(sample.name, func(t *testing.T) {
			project := filepath.Join(dir, sample.name)
			if err := virtualxcode.WriteSample(project, sample.name); err != nil {
				t.Fatal(err)
			}
			e := h.Must("a", "build_run_sim", in{
				"projectPath": filepath.Join(project, sample.app+".xcodeproj"), "scheme": sample.app, "simulatorName": sample.on,
			})
			if !strings.Contains(e.Stdout, `title:"`+sample.app+`"`) {
				t.Errorf("its first screen does not show its name:\n%s", e.Stdout)
			}
		})
	}
	made := h.Must("a", "scaffold_ios_project", in{"projectName": "Weather", "outputPath": filepath.Join(dir, "w"), "displayName": "My Weather"})
	workspace := house.Result[struct{ WorkspacePath string }](h, made).WorkspacePath
	e := h.Must("a", "build_run_sim", in{"workspacePath": workspace, "scheme": "Weather", "simulatorName": house.Device})
	if !strings.Contains(e.Stdout, `text "My Weather"`) {
		t.Errorf("the scaffold's first screen does not show its name:\n%s", e.Stdout)
	}
}
