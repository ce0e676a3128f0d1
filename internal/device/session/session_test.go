package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device/session"
)

func TestForDir(t *testing.T) {
	project := filepath.Join(t.TempDir(), "My Shop")
	deep := filepath.Join(project, "Sources", "App")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if session.ForDir(deep) == session.ForDir(project) {
		t.Error("without git, folders are sessions of their own")
	}
	if err := os.WriteFile(filepath.Join(project, ".git"), nil, 0o644); err != nil { // a worktree's is a file
		t.Fatal(err)
	}
	if session.ForDir(deep) != session.ForDir(project) {
		t.Error("one git work tree is one session")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	if session.ForDir(link) != session.ForDir(project) {
		t.Error("a link to a project is the project")
	}
	if name := session.ForDir(project); !strings.HasPrefix(name, "MyShop-") {
		t.Errorf("nobody recognises %q", name)
	}
}

func TestForget(t *testing.T) {
	var s session.Store
	s.Get("a").Use("UDID")
	s.Get("b").Use("OTHER")
	s.Forget("UDID")
	if s.Get("a").Device() != "" || s.Get("b").Device() != "OTHER" {
		t.Error("the wrong one was forgotten")
	}
}
