package home_test

import (
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
)

func TestTheHomeIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "home")
	t.Setenv(home.Variable, dir)
	h, err := home.Open()
	if err != nil || h.String() != dir {
		t.Fatalf("%s %v", h, err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for _, path := range []string{
		h.Run(), h.Children(), h.Devices(), h.Agent(), h.Versions(), h.Version("b"), h.Virtual(), h.KeyFile(), h.StateFile(),
	} {
		if rel, err := filepath.Rel(dir, path); err != nil || !filepath.IsLocal(rel) || rel == "." {
			t.Errorf("%s is not in the home", path)
		}
	}
}

func TestWithoutTheVariableItIsInTheUsersFolder(t *testing.T) {
	user := t.TempDir()
	t.Setenv(home.Variable, "")
	t.Setenv("HOME", user)
	if h, err := home.Open(); err != nil || h.String() != filepath.Join(user, ".ios-agent") {
		t.Errorf("%s %v", h, err)
	}
}

func TestAHomeThatCannotBeIsAFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(home.Variable, filepath.Join(file, "home"))
	if _, err := home.Open(); !fault.Is(err, fault.PathError) {
		t.Errorf("%v", err)
	}
}
