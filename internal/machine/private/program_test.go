package private_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/machine/private"
)

// TestProgramFollowsLinks: to what they lead to, and not for ever; a folder is no program.
func TestProgramFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("program"), nil, 0o775), os.Mkdir(at("folder"), 0o700), // a umask of 002 is common
		os.Symlink("program", at("link")), os.Symlink(filepath.Join("folder", "..", "link"), at("hop")),
		os.Symlink("folder", at("to-folder")), os.Symlink(filepath.Join(at("to-folder"), "loop"), at("folder/loop")),
		os.Symlink("gone", at("nowhere")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"program", "link", "hop", "to-folder/../program", "./folder/../hop"} {
		if err := private.Program(dir + "/" + name); err != nil {
			t.Errorf("%s: got %v, want it safe", name, err)
		}
	}
	var unsafe *private.UnsafeError
	for _, name := range []string{"folder", "to-folder"} {
		if err := private.Program(at(name)); !errors.As(err, &unsafe) {
			t.Errorf("%s: got %v, want that it is not a file", name, err)
		}
	}
	if err := private.Program(at("nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a link to nothing: got %v, want that it is not there", err)
	}
	if err := private.Program(at("folder/loop")); err == nil {
		t.Error("a link to itself: got nothing wrong, want an error")
	}
}
