package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/defaults"
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

// TestOneStoreAProject: callers that come together share the defaults of a project, whoever opened the file first.
func TestOneStoreAProject(t *testing.T) {
	var s session.Session
	dir := t.TempDir()
	got := make([]*defaults.Store, 20)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.Defaults(dir, nil) })
	}
	wg.Wait()
	for _, store := range got {
		if store == nil || store != got[0] {
			t.Fatal("two callers have two stores")
		}
	}
	if s.Defaults(t.TempDir(), nil) == got[0] {
		t.Error("two projects share one store")
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
