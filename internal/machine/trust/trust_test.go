package trust_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/machine/trust"
)

// TestTrustAppliesToOneProject: what was allowed to the file of one project is not allowed to that of another; a link to the project is the
// project.
func TestTrustAppliesToOneProject(t *testing.T) {
	home, project, other := t.TempDir(), t.TempDir(), t.TempDir()
	list := trust.In(home)
	for range 2 {
		if err := list.Add(project, time.Unix(0, 0), "wda", "http://127.0.0.1:8100"); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	both := []string{"wda", "http://127.0.0.1:8100"}
	for folder, want := range map[string][]string{project: both, link: both, other: nil} {
		if got := list.Of(folder); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", folder, got, want)
		}
	}
	if n, err := list.Remove(link, "wda", "idb"); n != 1 || err != nil {
		t.Errorf("Remove = %d, %v, want 1", n, err)
	}
	if got := list.Of(project); !slices.Equal(got, []string{"http://127.0.0.1:8100"}) {
		t.Errorf("after a removal: got %q", got)
	}
	info, err := os.Stat(filepath.Join(home, "trusted.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v, %v, want 0600", info.Mode(), err)
	}
}

// TestUnsafeTrustListAllowsNothing: it is neither believed nor written over.
func TestUnsafeTrustListAllowsNothing(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"others write it": func(path string) error { return os.Chmod(path, 0o622) },
		"others read it":  func(path string) error { return os.Chmod(path, 0o644) },
		"not JSON":        func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"a link": func(path string) error {
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(path+".real", path)
		},
	} {
		home, project := t.TempDir(), t.TempDir()
		list := trust.In(home)
		if err := list.Add(project, time.Unix(0, 0), "wda"); err != nil {
			t.Fatal(err)
		}
		if err := spoil(filepath.Join(home, "trusted.json")); err != nil {
			t.Fatal(err)
		}
		if got := list.Of(project); got != nil {
			t.Errorf("%s: got %q, want nothing allowed", name, got)
		}
		if err := list.Add(project, time.Unix(0, 0), "idb"); err == nil {
			t.Errorf("%s: it was written over", name)
		}
	}
}
