package project_test

import (
	"path/filepath"
	"testing"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/test/pbxtest"
)

// TestNPMParserReadsSampleProjects lets readers from npm read every sample's project file.
func TestNPMParserReadsSampleProjects(t *testing.T) {
	args := []string{}
	for _, s := range project.Samples() {
		layout, err := s.Layout()
		if err != nil {
			t.Fatal(err)
		}
		dir := write(t, s)
		for folder, p := range layout.Projects {
			args = append(args, filepath.Join(dir, folder, p.Name+".xcodeproj", "project.pbxproj"))
		}
	}
	pbxtest.Check(t, args...)
}
