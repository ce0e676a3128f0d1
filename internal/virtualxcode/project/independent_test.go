package project_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/project"
)

// TestOthersReadOurProjects lets a reader from npm read every sample's project file.
func TestOthersReadOurProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the reader may have to be installed from npm")
	}
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no node to read project files with")
	}
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
	out, err := exec.Command("../../../scripts/pbxproj-check", args...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 77:
		t.Skip(strings.TrimSpace(string(out)))
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}
