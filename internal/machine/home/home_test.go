package home_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
		h.Run(), h.Children(), h.Agent(), h.Versions(), h.Version("b"), h.Virtual(), h.KeyFile(), h.StateFile(),
	} {
		if rel, err := filepath.Rel(dir, path); err != nil || !filepath.IsLocal(rel) || rel == "." {
			t.Errorf("%s is not in the home", path)
		}
	}
}

func TestHomeDefaultsToUserFolder(t *testing.T) {
	user := t.TempDir()
	t.Setenv(home.Variable, "")
	t.Setenv("HOME", user)
	if h, err := home.Open(); err != nil || h.String() != filepath.Join(user, ".ios-agent") {
		t.Errorf("%s %v", h, err)
	}
}

func TestHomeBelowFileIsPathError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(home.Variable, filepath.Join(file, "home"))
	if _, err := home.Open(); !fault.Is(err, fault.PathError) {
		t.Errorf("%v", err)
	}
}

// TestAnUnsafeHomeIsRefused: whoever can write the home, or the folder of programs in it, chooses which program we execute.
func TestAnUnsafeHomeIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(t *testing.T, h home.Home) error
		hinted string
	}{
		{"home for all", func(_ *testing.T, h home.Home) error { return os.Chmod(h.String(), 0o777) }, "chmod go-w"},
		{"home for the group", func(_ *testing.T, h home.Home) error { return os.Chmod(h.String(), 0o770) }, "chmod go-w"},
		{"home with a sticky bit", func(_ *testing.T, h home.Home) error { return os.Chmod(h.String(), 0o777|os.ModeSticky) }, "chmod go-w"},
		{"versions for all", func(_ *testing.T, h home.Home) error { return os.Chmod(h.Versions(), 0o777) }, "chmod go-w"},
		{"foreign home", func(t *testing.T, h home.Home) error { return giveAway(t, h.String()) }, "folder of your own"},
		{"run for all", folderFor("run"), "chmod go-w"},
		{"virtual for all", folderFor("virtual"), "chmod go-w"},
		{"secrets for all", folderFor("secrets"), "chmod go-w"},
		{"state for all", fileFor("state.db"), "chmod go-w"},
		{"log of the state for all", fileFor("state.db-wal"), "chmod go-w"},
		{"index of the state for all", fileFor("state.db-shm"), "chmod go-w"},
		{"state that is a link", func(_ *testing.T, h home.Home) error { return os.Symlink("/dev/null", h.StateFile()) }, "rm -r"},
		{"foreign state", func(t *testing.T, h home.Home) error {
			return errors.Join(os.WriteFile(h.StateFile(), nil, 0o600), giveAway(t, h.StateFile()))
		}, "rm -r"},
		{"a folder above for all", func(_ *testing.T, h home.Home) error { return os.Chmod(filepath.Dir(h.String()), 0o777) }, "chmod o-w"},
		{"a foreign folder above", func(t *testing.T, h home.Home) error { return giveAway(t, filepath.Dir(h.String())) }, "folder of your own"},
		{"foreign versions", func(t *testing.T, h home.Home) error { return giveAway(t, h.Versions()) }, "rm -r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(home.Variable, filepath.Join(t.TempDir(), "home"))
			h, err := home.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(h.Versions(), 0o755); err != nil {
				t.Fatal(err)
			}
			if _, err := home.Open(); err != nil {
				t.Fatalf("a home of ours is refused: %v", err)
			}
			if err := c.spoil(t, h); err != nil {
				t.Fatal(err)
			}
			_, err = home.Open()
			if f := fault.From(err); err == nil || f.Code != fault.PathError || !strings.Contains(f.Hint, c.hinted) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func folderFor(name string) func(*testing.T, home.Home) error {
	return func(_ *testing.T, h home.Home) error {
		path := filepath.Join(h.String(), name)
		return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777))
	}
}

func fileFor(name string) func(*testing.T, home.Home) error {
	return func(_ *testing.T, h home.Home) error {
		path := filepath.Join(h.String(), name)
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666))
	}
}

// TestOpenMakesReadableStateFilesPrivate: an older version, or a copy, may have left it open.
func TestOpenMakesReadableStateFilesPrivate(t *testing.T) {
	t.Setenv(home.Variable, t.TempDir())
	h, err := home.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(h.StateFile()+suffix, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := home.Open(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(h.StateFile() + suffix); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v %v", suffix, info.Mode(), err)
		}
	}
}

func TestAHomeMayBeALinkAndReadableByOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(home.Variable, filepath.Join(dir, "link"))
	if h, err := home.Open(); err != nil || h.String() != filepath.Join(dir, "link") {
		t.Errorf("%s %v", h, err)
	}
}

// giveAway makes a file belong to another user, which only root can.
func giveAway(t *testing.T, path string) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	return os.Chown(path, 12345, -1)
}
