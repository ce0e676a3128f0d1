package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var pinned = regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)

// TestWorkflowsPinActionsAndOnlyRead: other people's actions are named by what they are, a workflow may only read, and none has a secret.
// actionlint (scripts/workflow-lint) finds what else is wrong with them.
func TestWorkflowsPinActionsAndOnlyRead(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range risks(t, raw) {
			t.Errorf("%s: %s", filepath.Base(file), wrong)
		}
	}
	bad := "on: pull_request_target\njobs: {a: {permissions: {contents: write}, steps: [{uses: a/b@v4}, {run: 'echo ${{ secrets.X }}'}]}}"
	if found := risks(t, []byte(bad)); len(found) != 5 {
		t.Errorf("of five risks these are found: %q", found)
	}
}

func risks(t *testing.T, raw []byte) (found []string) {
	t.Helper()
	var w struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Permissions map[string]string
			Steps       []struct{ Uses string }
		}
	}
	if err := yaml.Unmarshal(raw, &w); err != nil {
		t.Fatal(err)
	}
	if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
		found = append(found, "the permissions are not {contents: read}")
	}
	for name, job := range w.Jobs {
		if len(job.Permissions) > 0 {
			found = append(found, name+" has permissions of its own")
		}
		for _, s := range job.Steps {
			if s.Uses != "" && !pinned.MatchString(s.Uses) {
				found = append(found, s.Uses+" is not named by its commit")
			}
		}
	}
	for _, word := range []string{"secrets.", "pull_request_target"} {
		if strings.Contains(string(raw), word) {
			found = append(found, "it has "+word)
		}
	}
	return found
}
