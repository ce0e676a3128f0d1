package self_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/self"
)

func TestCopyIsWholeAndKnowsItsBuild(t *testing.T) {
	build, err := self.Current()
	if err != nil || len(build.ID) != 16 {
		t.Fatalf("%+v %v", build, err)
	}
	dir := filepath.Join(t.TempDir(), build.ID)
	var all sync.WaitGroup
	for range 4 { // many clients start at once
		all.Go(func() {
			if _, err := self.Copy(dir, build); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	path, err := self.Copy(dir, build)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !same(t, mine, path) {
		t.Error("the copy differs")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left overs: %v %v", entries, err)
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y)
}

// TestCopyNeverReturnsForeignProgram: what Copy gives is executed, so that it must be this build's bytes in a file of ours.
func TestCopyNeverReturnsForeignProgram(t *testing.T) {
	mine, err := os.Executable()
	build, buildErr := self.Current()
	if err != nil || buildErr != nil {
		t.Fatal(err, buildErr)
	}
	for _, c := range []struct {
		name    string
		spoil   func(t *testing.T, path string) error
		refused bool
	}{
		{"other program", func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700) }, false},
		{"cut", func(_ *testing.T, path string) error { return os.Truncate(path, 100<<10) }, false},
		{"same size and head, other end", spoilEnd, false},
		{"not executable", func(_ *testing.T, path string) error { return os.Chmod(path, 0o600) }, false},
		{"writable by all", func(_ *testing.T, path string) error { return os.Chmod(path, 0o777) }, true},
		{"folder writable by all", func(_ *testing.T, path string) error { return os.Chmod(filepath.Dir(path), 0o777) }, true},
		{"link", func(_ *testing.T, path string) error {
			return errors.Join(os.Remove(path), os.Symlink("/bin/sh", path))
		}, true},
		{"foreign", func(t *testing.T, path string) error { return giveAway(t, path) }, true},
		{"foreign folder", func(t *testing.T, path string) error { return giveAway(t, filepath.Dir(path)) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "build")
			path, err := self.Copy(dir, build)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(t, path); err != nil {
				t.Fatal(err)
			}
			path, err = self.Copy(dir, build)
			if f, _ := fault.In(err); c.refused && (f == nil || f.Code != fault.PathError || f.Hint == "") {
				t.Errorf("%s %v", path, err)
			}
			if c.refused {
				return
			}
			if info, statErr := os.Stat(path); err != nil || statErr != nil || !same(t, mine, path) || info.Mode().Perm() != 0o700 {
				t.Errorf("the copy is not ours: %v %v", err, statErr)
			}
		})
	}
}

// TestAReplacedProgramIsNotCopied: after an update, the file of a running program is another build.
func TestAReplacedProgramIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	if path, err := self.Copy(dir, self.Build{ID: "an older build"}); err == nil {
		t.Errorf("%s", path)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v %v", entries, err)
	}
}

func spoilEnd(t *testing.T, path string) error {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("spoiled"), info.Size()-7)
	return err
}

// giveAway makes a file belong to another user, which only root can.
func giveAway(t *testing.T, path string) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	return os.Chown(path, 12345, -1)
}
